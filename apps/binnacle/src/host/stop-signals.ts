/** Resolves when the process is asked to stop (Ctrl-C, SIGTERM, SIGHUP). A second request ends it at once. */
export function untilAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve(signal);
      });
    }
  });
}
