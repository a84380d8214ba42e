// go-github and ghinstallation, which know nothing of us, drive the simulated forge. One line for each check.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v88/github"
)

const owner, repo, enterprise = "acme", "shop", "simulated"

var ctx = context.Background()
var base = os.Getenv("FORGE_URL") + "/"

func number(name string) int64 {
	value, err := strconv.ParseInt(os.Getenv(name), 10, 64)
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		fmt.Println("not ok the client can begin:", err)
		os.Exit(1)
	}
}

func client(option github.ClientOptionsFunc) *github.Client {
	made, err := github.NewClient(github.WithURLs(&base, nil), option, github.WithTimeout(20*time.Second))
	must(err)
	return made
}

func appTransport() *ghinstallation.AppsTransport {
	transport, err := ghinstallation.NewAppsTransportKeyFromFile(
		http.DefaultTransport, number("FORGE_APP_ID"), os.Getenv("FORGE_PRIVATE_KEY_FILE"))
	must(err)
	transport.BaseURL = os.Getenv("FORGE_URL")
	return transport
}

func asInstallation(id int64) *github.Client {
	return client(github.WithTransport(ghinstallation.NewFromAppsTransport(appTransport(), id)))
}

func jit(name string) *github.GenerateJITConfigRequest {
	return &github.GenerateJITConfigRequest{Name: name, RunnerGroupID: 1, Labels: []string{"linux"}}
}

func main() {
	asApp := client(github.WithTransport(appTransport()))
	asPerson := client(github.WithAuthToken(os.Getenv("FORGE_TOKEN")))
	_, err := submit("")
	must(err)
	check("the App proves itself, and an installation's token shows its repositories", func() error { return apps(asApp) })
	check("runs and jobs are listed with filters, page by page", func() error { return runs(asPerson) })
	check("a run is cancelled, run again, timed and deleted", func() error { return reruns(asPerson) })
	check("a runner of a repository is minted, found by name and removed", func() error { return runners(asPerson) })
	check("a runner of an organisation is minted into a group, and listed in it", func() error { return groups(asPerson) })
	check("a runner of an enterprise is minted, listed and removed", func() error { return ofEnterprise(asPerson) })
	check("what waits for an approval is listed and approved once", func() error { return approvals(asPerson) })
	check("deliveries of the App are listed, read and sent again", func() error { return deliveries(asApp) })
	check("deliveries of a repository's hook are listed, read and sent again", func() error { return ofHook(asPerson) })
	check("hooks are configured", func() error { return hooks(asApp, asPerson) })
	check("an installation at an enterprise is listed beside others", func() error { return installations(asApp) })
	check("a spent limit and a secondary one are known as such", func() error { return limits() })
	if failed {
		os.Exit(1)
	}
}

func apps(asApp *github.Client) error {
	app, _, err := asApp.Apps.Get(ctx, "")
	if err != nil {
		return err
	}
	found, _, err := asApp.Apps.GetRepositoryInstallation(ctx, owner, repo)
	if err != nil {
		return err
	}
	list, _, err := asInstallation(found.GetID()).Apps.ListRepos(ctx, nil)
	if err != nil {
		return err
	}
	return errors.Join(
		same("the App", app.GetID(), number("FORGE_APP_ID")),
		same("repositories", list.GetTotalCount(), 1),
		same("name", list.Repositories[0].GetFullName(), owner+"/"+repo))
}

func runs(as *github.Client) error {
	for range 3 {
		if _, err := submit(""); err != nil {
			return err
		}
	}
	count := func(options *github.ListWorkflowRunsOptions) (int, error) {
		total := 0
		for run, err := range as.Actions.ListRepositoryWorkflowRunsIter(ctx, owner, repo, options) {
			if err != nil {
				return 0, err
			}
			jobs, _, err := as.Actions.ListWorkflowJobs(ctx, owner, repo, run.GetID(), &github.ListWorkflowJobsOptions{Filter: "latest"})
			if err != nil {
				return 0, err
			}
			total += len(jobs.Jobs)
		}
		return total, nil
	}
	queued, err := count(&github.ListWorkflowRunsOptions{Status: "queued", ListOptions: github.ListOptions{PerPage: 2}})
	over, errOver := count(&github.ListWorkflowRunsOptions{Status: "completed"})
	old, errOld := count(&github.ListWorkflowRunsOptions{Created: "<2020-01-01"})
	other, errOther := count(&github.ListWorkflowRunsOptions{Event: "schedule"})
	return errors.Join(err, errOver, errOld, errOther,
		same("queued", queued, 4), same("over", over, 0), same("old", old, 0), same("scheduled", other, 0))
}

func reruns(as *github.Client) error {
	id, err := submit("")
	if err != nil {
		return err
	}
	// go-github takes 202 for an error of its own kind.
	accepted := func(_ *github.Response, err error) error {
		var later *github.AcceptedError
		if errors.As(err, &later) {
			return nil
		}
		return err
	}
	if err := accepted(as.Actions.CancelWorkflowRunByID(ctx, owner, repo, id)); err != nil {
		return err
	}
	if _, err := as.Actions.RerunFailedJobsByID(ctx, owner, repo, id); err != nil {
		return err
	}
	run, _, err := as.Actions.GetWorkflowRunByID(ctx, owner, repo, id)
	if err != nil {
		return err
	}
	jobs, _, err := as.Actions.ListWorkflowJobs(ctx, owner, repo, id, &github.ListWorkflowJobsOptions{Filter: "all"})
	if err != nil {
		return err
	}
	if err := errors.Join(same("attempt", run.GetRunAttempt(), 2), same("jobs", jobs.GetTotalCount(), 2)); err != nil {
		return err
	}
	if err := accepted(as.Actions.CancelWorkflowRunByID(ctx, owner, repo, id)); err != nil {
		return err
	}
	usage, _, err := as.Actions.GetWorkflowRunUsageByID(ctx, owner, repo, id)
	if err != nil || usage == nil {
		return fmt.Errorf("usage: %v", err)
	}
	if _, err := as.Actions.DeleteWorkflowRun(ctx, owner, repo, id); err != nil {
		return err
	}
	_, _, err = as.Actions.GetWorkflowRunByID(ctx, owner, repo, id)
	return refused(http.StatusNotFound, err)
}

func runners(as *github.Client) error {
	made, _, err := as.Actions.GenerateRepoJITConfig(ctx, owner, repo, jit("go-1"))
	if err != nil {
		return err
	}
	_, _, err = as.Actions.GenerateRepoJITConfig(ctx, owner, repo, jit("go-1"))
	if err := refused(http.StatusConflict, err); err != nil {
		return err
	}
	found, _, err := as.Actions.ListRunners(ctx, owner, repo, &github.ListRunnersOptions{Name: github.Ptr("go-1")})
	if err != nil {
		return err
	}
	token, _, err := as.Actions.CreateRegistrationToken(ctx, owner, repo)
	if err != nil {
		return err
	}
	programs, _, err := as.Actions.ListRunnerApplicationDownloads(ctx, owner, repo)
	if err != nil {
		return err
	}
	_, err = as.Actions.RemoveRunner(ctx, owner, repo, made.Runner.GetID())
	return errors.Join(err,
		same("found", found.TotalCount, 1),
		same("labels", len(found.Runners[0].Labels), 1),
		same("status", found.Runners[0].GetStatus(), "offline"),
		same("a token", token.GetToken() != "" && token.GetExpiresAt().After(time.Now()), true),
		same("programs", len(programs) > 2, true))
}

func groups(as *github.Client) error {
	order := map[string]any{"organization": owner, "name": "some", "visibility": "selected", "selected": []string{owner + "/" + repo}}
	if _, err := people("POST", "/_sim/runner-groups", order); err != nil {
		return err
	}
	list, _, err := as.Actions.ListOrganizationRunnerGroups(ctx, owner, nil)
	if err != nil {
		return err
	}
	var id int64
	for _, group := range list.RunnerGroups {
		if group.GetName() == "some" {
			id = group.GetID()
		}
	}
	request := jit("go-2")
	request.RunnerGroupID = id
	made, _, err := as.Actions.GenerateOrgJITConfig(ctx, owner, request)
	if err != nil {
		return err
	}
	inside, _, err := as.Actions.ListRunnerGroupRunners(ctx, owner, id, nil)
	if err != nil {
		return err
	}
	served, _, err := as.Actions.ListRepositoryAccessRunnerGroup(ctx, owner, id, nil)
	if err != nil {
		return err
	}
	_, err = as.Actions.RemoveOrganizationRunner(ctx, owner, made.Runner.GetID())
	return errors.Join(err, same("inside", inside.TotalCount, 1), same("served", served.GetTotalCount(), 1))
}

func ofEnterprise(as *github.Client) error {
	made, _, err := as.Enterprise.GenerateEnterpriseJITConfig(ctx, enterprise, jit("go-3"))
	if err != nil {
		return err
	}
	list, _, err := as.Enterprise.ListRunners(ctx, enterprise, nil)
	if err != nil {
		return err
	}
	groups, _, err := as.Enterprise.ListRunnerGroups(ctx, enterprise, nil)
	if err != nil {
		return err
	}
	_, err = as.Enterprise.RemoveRunner(ctx, enterprise, made.Runner.GetID())
	return errors.Join(err, same("runners", list.TotalCount, 1), same("groups", *groups.TotalCount > 0, true))
}

func approvals(as *github.Client) error {
	id, err := submit("production")
	if err != nil {
		return err
	}
	pending, _, err := as.Actions.GetPendingDeployments(ctx, owner, repo, id)
	if err != nil {
		return err
	}
	if err := same("pending", len(pending), 1); err != nil {
		return err
	}
	review := &github.PendingDeploymentsRequest{EnvironmentIDs: []int64{*pending[0].Environment.ID}, State: "approved", Comment: "go"}
	if _, _, err := as.Actions.PendingDeployments(ctx, owner, repo, id, review); err != nil {
		return err
	}
	again, _, err := as.Actions.GetPendingDeployments(ctx, owner, repo, id)
	if err != nil {
		return err
	}
	_, _, err = as.Actions.PendingDeployments(ctx, owner, repo, id, review)
	return errors.Join(same("pending", len(again), 0), refused(http.StatusUnprocessableEntity, err))
}

func deliveries(asApp *github.Client) error {
	list, _, err := asApp.Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: 2})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("the App was told of nothing")
	}
	one, _, err := asApp.Apps.GetHookDelivery(ctx, list[0].GetID())
	if err != nil {
		return err
	}
	parsed, err := one.ParseRequestPayload()
	if err != nil {
		return err
	}
	if _, isJob := parsed.(*github.WorkflowJobEvent); !isJob {
		return fmt.Errorf("expected a message about a job, got %T", parsed)
	}
	_, _, err = asApp.Apps.RedeliverHookDelivery(ctx, list[0].GetID())
	var later *github.AcceptedError
	if errors.As(err, &later) {
		return nil
	}
	return err
}

func ofHook(as *github.Client) error {
	hook := number("FORGE_HOOK_ID")
	list, _, err := as.Repositories.ListHookDeliveries(ctx, owner, repo, hook, nil)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("the hook was told of nothing")
	}
	one, _, err := as.Repositories.GetHookDelivery(ctx, owner, repo, hook, list[0].GetID())
	if err != nil {
		return err
	}
	_, _, err = as.Repositories.RedeliverHookDelivery(ctx, owner, repo, hook, list[0].GetID())
	var later *github.AcceptedError
	if err != nil && !errors.As(err, &later) {
		return err
	}
	return same("guid", one.GetGUID(), list[0].GetGUID())
}

func hooks(asApp, as *github.Client) error {
	hook := number("FORGE_HOOK_ID")
	config, _, err := asApp.Apps.GetHookConfig(ctx)
	if err != nil {
		return err
	}
	changed, _, err := as.Repositories.EditHookConfiguration(ctx, owner, repo, hook,
		&github.HookConfig{ContentType: github.Ptr("json"), InsecureSSL: github.Ptr("0")})
	if err != nil {
		return err
	}
	read, _, err := as.Repositories.GetHookConfiguration(ctx, owner, repo, hook)
	if err != nil {
		return err
	}
	return errors.Join(same("of the App", config.GetContentType(), "json"),
		same("changed", changed.GetContentType(), "json"), same("read", read.GetInsecureSSL(), "0"))
}

func installations(asApp *github.Client) error {
	made, err := people("POST", "/_sim/installations", map[string]any{"enterprise": enterprise})
	if err != nil {
		return err
	}
	if _, err := people("POST", "/_sim/installations", map[string]any{"account": owner}); err != nil {
		return err
	}
	list, _, err := asApp.Apps.ListInstallations(ctx, nil)
	if err != nil {
		return err
	}
	ours, _, err := asApp.Apps.GetEnterpriseInstallation(ctx, enterprise)
	if err != nil {
		return err
	}
	ofOrganisation, _, err := asApp.Apps.GetOrganizationInstallation(ctx, owner)
	if err != nil {
		return err
	}
	runners, _, err := asInstallation(ours.GetID()).Enterprise.ListRunners(ctx, enterprise, nil)
	if err != nil {
		return err
	}
	return errors.Join(same("installations", len(list), 2), same("the enterprise's", ours.GetID(), int64(made["id"].(float64))),
		same("kind", ours.GetTargetType(), "Enterprise"), same("runners", runners.TotalCount, 0),
		same("the organisation's", ofOrganisation.GetAccount().GetLogin(), owner))
}

func limits() error {
	as := func() *github.Client { return client(github.WithAuthToken(os.Getenv("FORGE_TOKEN"))) }
	pace := map[string]any{"pointsPerMinute": 1}
	if _, err := people("POST", "/_sim/pace", pace); err != nil {
		return err
	}
	_, _, err := as().Actions.GenerateRepoJITConfig(ctx, owner, repo, jit("go-4"))
	var secondary *github.AbuseRateLimitError
	if !errors.As(err, &secondary) || secondary.RetryAfter == nil {
		return fmt.Errorf("expected a secondary limit that says how long, got %v", err)
	}
	if _, err := people("POST", "/_sim/pace", map[string]any{"pointsPerMinute": nil}); err != nil {
		return err
	}
	if _, err := people("POST", "/_sim/rate-limit", map[string]any{"remaining": 0}); err != nil {
		return err
	}
	_, _, err = as().Repositories.Get(ctx, owner, repo)
	var spent *github.RateLimitError
	if !errors.As(err, &spent) {
		return fmt.Errorf("expected a spent limit, got %v", err)
	}
	return nil
}
