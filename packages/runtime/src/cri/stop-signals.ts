import { constants } from 'node:os';

/** Of the C library: the ones below are its own. */
const FIRST_REAL_TIME = 34;
const LAST_REAL_TIME = 64;
/** The first version of containerd that stops a container by the signal of its configuration. */
const NATIVE_SINCE = [2, 1] as const;

/** CRI's name of a signal: `SIGRTMIN+1` is `SIGRTMINPLUS1` there. */
export function criSignal(name: string): string {
  return name.replace('+', 'PLUS').replace('-', 'MINUS');
}

/** Its number on this machine; undefined for what is no signal. */
export function signalNumber(name: string): number | undefined {
  const realTime = /^SIGRT(MIN|MAX)(?:([+-])(\d{1,2}))?$/.exec(name);
  if (realTime !== null) {
    const [, end, , offset = '0'] = realTime;
    return end === 'MIN' ? FIRST_REAL_TIME + Number(offset) : LAST_REAL_TIME - Number(offset);
  }
  // Names that this system has twice.
  const known: { readonly [name: string]: number | undefined } = {
    SIGCLD: constants.signals.SIGCHLD,
    ...constants.signals,
  };
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** Whether a runtime keeps a container's own stop signal: all but containerd before 2.1. */
export function keepsStopSignals({ name, version }: { readonly name: string; readonly version: string }): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (name !== 'containerd' || major === undefined) return true;
  return Number(major) > NATIVE_SINCE[0] || (Number(major) === NATIVE_SINCE[0] && Number(minor) >= NATIVE_SINCE[1]);
}
