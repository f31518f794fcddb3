import { useSyncExternalStore } from 'react';

const STEP_MS = 1000;
// Of the tab, moved by one timer that runs while anybody shows an age.
let now = Date.now();
let held: number | undefined;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, a second fine; one timer for all who show ages. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => held ?? now);
}

/** Ages are told as of then (milliseconds since the epoch) while the past is looked at; undefined: as of now. */
export function holdNow(atMs: number | undefined): void {
  held = atMs;
  for (const each of listeners) each();
}
