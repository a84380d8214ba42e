// The manager of GitLab Runner with the Kubernetes executor alone: upstream's main also needs what absent/ leaves out.
package main

import (
	"log/slog"
	"os"

	"github.com/urfave/cli"

	"gitlab.com/gitlab-org/gitlab-runner/commands"
	"gitlab.com/gitlab-org/gitlab-runner/common"
	"gitlab.com/gitlab-org/gitlab-runner/executors"
	"gitlab.com/gitlab-org/gitlab-runner/executors/kubernetes"
	clihelpers "gitlab.com/gitlab-org/gitlab-runner/helpers/cli"
	"gitlab.com/gitlab-org/gitlab-runner/log"
	"gitlab.com/gitlab-org/gitlab-runner/network"
	_ "gitlab.com/gitlab-org/gitlab-runner/shells"
)

func main() {
	if err := manager().Run(os.Args); err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

func manager() *cli.App {
	known := executors.NewProviderRegistry(map[string]common.ExecutorProvider{
		common.ExecutorKubernetes: kubernetes.NewProvider(),
	})
	calls := network.NewAPIRequestsCollector()
	gitlab := network.NewGitLabClient(
		network.WithAPIRequestsCollector(calls),
		network.WithCertificateDirectory(commands.GetDefaultCertificateDirectory()),
		network.WithExecutorProviderFunc(known.GetByName),
	)
	app := cli.NewApp()
	app.Name = "gitlab-runner"
	app.Version = common.AppVersion.ShortLine()
	cli.VersionPrinter = common.AppVersion.Printer
	app.Commands = []cli.Command{
		commands.NewLintCommand(),
		commands.NewListCommand(),
		commands.NewRunCommand(gitlab, calls, known),
		commands.NewVerifyCommand(gitlab),
	}
	clihelpers.InitCli()
	log.ConfigureLogging(app)
	return app
}
