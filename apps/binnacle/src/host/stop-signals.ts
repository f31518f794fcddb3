let asked = false;

/** Whether the process was asked to stop: nothing that was left half-way may keep it. */
export function wasAskedToStop(): boolean {
  return asked;
}

/** Resolves when the process is asked to stop (Ctrl-C, SIGTERM, SIGHUP). A second request ends it at once. */
export function untilAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve(signal);
      });
    }
  });
}
