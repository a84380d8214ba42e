"""PyGithub, which knows nothing of us, drives the simulated forge. One line for each check: `ok` or `not ok`."""

import os
import sys
import traceback

import requests
from github import Auth, Github, GithubException, GithubIntegration

url = os.environ["FORGE_URL"]
token = os.environ["FORGE_TOKEN"]
app_id = int(os.environ["FORGE_APP_ID"])
client_id = os.environ["FORGE_CLIENT_ID"]
hook_id = int(os.environ["FORGE_HOOK_ID"])
with open(os.environ["FORGE_PRIVATE_KEY_FILE"], encoding="ascii") as file:
    private_key = file.read()
fast = {"seconds_between_requests": 0, "seconds_between_writes": 0, "retry": None}
failed = 0


def people(method, path, body=None):
    """What people and runners do, for which GitHub's API has no call."""
    answer = requests.request(
        method, f"{url}{path}", json=body, headers={"authorization": f"Bearer {token}"}, timeout=10
    )
    answer.raise_for_status()
    return answer.json() if answer.content else None


def submit(**more):
    order = {"repository": "acme/shop", "name": "build", "labels": ["self-hosted", "linux"], "script": "true"}
    return people("POST", "/_sim/jobs", order | more)


def check(work):
    """Runs one check; what it is called is its first line of documentation."""
    global failed
    title = work.__doc__
    try:
        work()
        print(f"ok {title}")
    except Exception:
        failed += 1
        print(f"not ok {title}")
        traceback.print_exc(file=sys.stdout)


def same(got, expected):
    if got != expected:
        raise AssertionError(f"expected {expected!r}, got {got!r}")


def refused(status, work):
    try:
        work()
    except GithubException as error:
        same(error.status, status)
        return
    raise AssertionError(f"expected a refusal with {status}")


def integration(identity):
    return GithubIntegration(auth=Auth.AppAuth(identity, private_key), base_url=url, **fast)


github = Github(auth=Auth.Token(token), base_url=url, **fast)
submit()
repo = github.get_repo("acme/shop")


@check
def _():
    """the App proves itself by its number and by its client id"""
    for identity in (app_id, client_id):
        same(integration(identity).get_app().id, app_id)


@check
def _():
    """an installation gives a token, and shows its repositories"""
    app = integration(app_id)
    [installation] = list(app.get_installations())
    same(app.get_repo_installation("acme", "shop").id, installation.id)
    made = app.get_access_token(installation.id)
    assert made.token and made.expires_at is not None
    ours = app.get_github_for_installation(installation.id)
    same([each.full_name for each in installation.get_repos()], ["acme/shop"])
    same(ours.get_repo("acme/shop").full_name, "acme/shop")


@check
def _():
    """runs are found by status, event, commit and time, and not where nothing fits"""
    [run] = list(repo.get_workflow_runs(status="queued"))
    same(repo.get_workflow_runs(status="completed").totalCount, 0)
    same([each.id for each in repo.get_workflow_runs(event=run.event, head_sha=run.head_sha)], [run.id])
    same([each.id for each in repo.get_workflow_runs(created=">2020-01-01")], [run.id])
    same(repo.get_workflow_runs(created="<2020-01-01").totalCount, 0)
    same(repo.get_workflow_run(run.id).run_attempt, 1)


@check
def _():
    """jobs of a run are read one by one and in all its attempts"""
    [run] = list(repo.get_workflow_runs(status="queued"))
    [job] = list(run.jobs())
    same((job.status, job.conclusion, job.labels), ("queued", None, ["self-hosted", "linux"]))
    same(repo.get_workflow_job(job.id).run_id, run.id)


@check
def _():
    """a run is cancelled, run again whole or what failed, timed and deleted"""
    made = submit()
    run = repo.get_workflow_run(made["run_id"])
    same(run.cancel(), True)
    same(run.rerun_failed_jobs(), True)
    run.update()
    same((run.run_attempt, run.status), (2, "queued"))
    same(len(list(run.jobs("all"))), 2)
    same(run.cancel(), True)
    same(run.rerun(), True)
    same(run.cancel(), True)
    assert run.timing() is not None
    same(run.delete(), True)
    refused(404, lambda: repo.get_workflow_run(run.id))


@check
def _():
    """a runner of a repository is listed, read and removed"""
    path = f"{repo.url}/actions/runners/generate-jitconfig"
    order = {"name": "py-1", "runner_group_id": 1, "labels": ["linux"]}
    _, made = repo.requester.requestJsonAndCheck("POST", path, input=order)
    id = made["runner"]["id"]
    refused(409, lambda: repo.requester.requestJsonAndCheck("POST", path, input=order))
    same([each.name for each in repo.get_self_hosted_runners()], ["py-1"])
    runner = repo.get_self_hosted_runner(id)
    same((runner.status, runner.busy), ("offline", False))
    same([label["name"] for label in runner.labels], ["linux"])
    same(repo.remove_self_hosted_runner(runner), True)
    same(repo.get_self_hosted_runners().totalCount, 0)


@check
def _():
    """a runner of an organisation is minted, listed and removed, with its tokens and programs"""
    org = github.get_organization("acme")
    made = org.create_self_hosted_runner_jitconfig("py-2", 1, ["linux"])
    assert made.encoded_jit_config
    same([each.name for each in org.get_self_hosted_runners()], ["py-2"])
    assert org.create_self_hosted_runner_registration_token().token
    assert org.create_self_hosted_runner_remove_token().token
    assert "linux" in {each.os for each in org.get_self_hosted_runner_applications()}
    org.delete_self_hosted_runner(made.runner.id)
    same(org.get_self_hosted_runners().totalCount, 0)


@check
def _():
    """what is sent is found among the deliveries of the App, and none of them is doubled"""
    deliveries = list(integration(app_id).requester.requestJsonAndCheck("GET", "/app/hook/deliveries")[1])
    assert deliveries, "the App was told of nothing"
    same(len({each["id"] for each in deliveries}), len(deliveries))
    same({each["event"] for each in deliveries}, {"workflow_job"})


@check
def _():
    """the deliveries of a repository's hook are listed and read"""
    deliveries = list(repo.get_hook_deliveries(hook_id))
    assert deliveries, "the hook was told of nothing"
    one = repo.get_hook_delivery(hook_id, deliveries[0].id)
    same((one.event, one.guid), ("workflow_job", deliveries[0].guid))


@check
def _():
    """an installation at an enterprise is listed beside others, and breaks none of them"""
    made = people("POST", "/_sim/installations", {"enterprise": "simulated"})
    people("POST", "/_sim/installations", {"account": "acme"})
    found = list(integration(app_id).get_installations())
    same(len(found), 2)
    [ours] = [each for each in found if each.id == made["id"]]
    same(ours.target_type, "Enterprise")
    same(ours.raw_data["account"]["slug"], "simulated")
    assert integration(client_id).get_access_token(made["id"]).token


@check
def _():
    """what is left of the limit is read, and a spent one is an error that says so"""
    same(github.get_rate_limit().rate.limit > 0, True)
    people("POST", "/_sim/rate-limit", {"remaining": 0})
    refused(403, lambda: github.get_repo("acme/shop"))


sys.exit(1 if failed else 0)
