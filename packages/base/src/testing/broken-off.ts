const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const clearings = new Set<() => Promise<unknown>>();
let isListening = false;
let isBroken = false;

/**
 * Has `clear` run where somebody breaks this process off (Ctrl-C, SIGTERM, SIGHUP), before it ends: hooks of tests do not
 * run then, and what they would have ended outlives the process. Answers with how to forget it, once it has been done.
 */
export function whenBrokenOff(clear: () => Promise<unknown>): () => void {
  if (!isListening) for (const signal of SIGNALS) listen(signal);
  isListening = true;
  clearings.add(clear);
  return () => void clearings.delete(clear);
}

/** In front of who listens already: a runner of tests ends the process at once. */
function listen(signal: (typeof SIGNALS)[number]): void {
  const others = process.listeners(signal);
  process.removeAllListeners(signal);
  process.on(signal, () => {
    // The signal comes again, from a runner to those that it started.
    if (isBroken) return;
    isBroken = true;
    // Whoever read this may have ended before.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    void Promise.allSettled([...clearings].map((clear) => clear())).then((results) => {
      for (const result of results)
        if (result.status === 'rejected') process.stderr.write(`${String(result.reason)}\n`);
      for (const listener of others) listener(signal);
      process.exit(1);
    });
  });
}
