package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/google/go-github/v88/github"
)

var failed = false

// check runs one check and says what became of it in one line.
func check(title string, work func() error) {
	if err := work(); err != nil {
		failed = true
		fmt.Printf("not ok %s: %v\n", title, err)
		return
	}
	fmt.Printf("ok %s\n", title)
}

func same(what string, got, expected any) error {
	if fmt.Sprint(got) == fmt.Sprint(expected) {
		return nil
	}
	return fmt.Errorf("%s: expected %v, got %v", what, expected, got)
}

// refused is nil where the forge refused with this status.
func refused(status int, err error) error {
	var answer *github.ErrorResponse
	if errors.As(err, &answer) {
		return same("status", answer.Response.StatusCode, status)
	}
	return fmt.Errorf("expected a refusal with %d, got %v", status, err)
}

// people does what people and runners do, for which GitHub's API has no call.
func people(method, path string, order map[string]any) (map[string]any, error) {
	body, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(method, os.Getenv("FORGE_URL")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("authorization", "Bearer "+os.Getenv("FORGE_TOKEN"))
	request.Header.Set("content-type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	var made map[string]any
	if len(text) > 0 {
		err = json.Unmarshal(text, &made)
	}
	return made, err
}

// submit gives the forge a job, and its run's number.
func submit(environment string) (int64, error) {
	order := map[string]any{
		"repository": "acme/shop", "name": "build", "labels": []string{"self-hosted", "linux"}, "script": "true",
	}
	if environment != "" {
		order["environment"] = environment
	}
	made, err := people("POST", "/_sim/jobs", order)
	if err != nil {
		return 0, err
	}
	return int64(made["run_id"].(float64)), nil
}
