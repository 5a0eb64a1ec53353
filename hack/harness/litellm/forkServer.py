"""Starts LiteLLM servers. Importing LiteLLM is most of a start: this program imports it once, and forks for each server.

It reads the arguments, environment, working directory and log file of each server as a line of JSON. It writes a line
"started PID" for it, in the same order, and a line "ended PID STATUS" when a server has ended.
"""

import json
import os
import random
import signal
import sys

import litellm.proxy.proxy_server  # noqa: F401
from litellm import run_server


def say(line):
    os.write(1, f"{line}\n".encode())


def report_ended(*_):
    """Reports every server that has ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        say(f"ended {pid} {os.waitstatus_to_exitcode(status)}")


def serve(arguments, environment, folder, log):
    """Becomes a LiteLLM server, as its command does."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    random.seed()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["litellm", *arguments]
    sys.exit(run_server())


signal.signal(signal.SIGCHLD, report_ended)
for line in sys.stdin:
    # Otherwise, the end of a server could be written before its start.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        serve(**json.loads(line))
    try:
        # Also here: the group must exist when its id is written.
        os.setpgid(child, child)
    except OSError:
        pass
    say(f"started {child}")
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
