// Package cron stands in for taskscaler's schedules: every time is within every schedule.
package cron

import "time"

type Schedule struct{}

func Parse(string, string) (Schedule, error) { return Schedule{}, nil }

func (Schedule) Contains(time.Time) bool { return true }
