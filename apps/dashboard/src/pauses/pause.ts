import { TRACE_GROUP, TRACE_VERSION } from '@binnacle/trace';
import type { PauseOrder, WaitingStep } from '@binnacle/trace';
import type { ApiRequest } from '../api/request.ts';
import { shellWord } from '../command/shell-word.ts';
import type { ApiObject } from '../live/rows.ts';

/** A component that can be held, as `pauses.trace.binnacle.dev` shows it. */
export interface Pause extends ApiObject {
  /** Absent: it goes on. */
  readonly spec?: PauseOrder;
  readonly status?: {
    readonly held: boolean;
    readonly passed: number;
    readonly waiting: readonly WaitingStep[];
    readonly endsAtMs?: number;
  };
}

/** What can be done with a component: hold it, let it take one step, let it go. */
export type PauseDeed = 'hold' | 'step' | 'release';

/** Where all of them are listed. */
export const PAUSES_PATH = `/apis/${TRACE_GROUP}/${TRACE_VERSION}/pauses`;
/** So long nobody needs to think of a component that he holds. */
const DEADLINE_S = 600;

/** The call that does it. A step is one more than what was allowed or taken so far. */
export function pauseCall(pause: Pause, deed: PauseDeed): ApiRequest {
  const path = `${PAUSES_PATH}/${encodeURIComponent(pause.metadata.name)}`;
  if (deed === 'release') return { method: 'DELETE', path };
  return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body: patchOf(pause, deed) };
}

/** What can be done with it now, by whom the server lets do it: holding and stepping patch it, letting go deletes it. */
export function deedsOf(pause: Pause, may: (verb: 'patch' | 'delete') => boolean): readonly PauseDeed[] {
  const deeds: readonly PauseDeed[] = isHeld(pause) ? ['step', 'release'] : ['hold'];
  return deeds.filter((deed) => may(deed === 'release' ? 'delete' : 'patch'));
}

/** The same on a command line. */
export function pauseCommand(pause: Pause, deed: PauseDeed): string {
  const target = `pauses.${TRACE_GROUP} ${shellWord(pause.metadata.name)}`;
  if (deed === 'release') return `kubectl delete ${target}`;
  return `kubectl patch ${target} --type=merge -p ${shellWord(JSON.stringify(patchOf(pause, deed)))}`;
}

function patchOf({ spec, status }: Pause, deed: 'hold' | 'step'): { readonly spec: PauseOrder } {
  const steps = deed === 'hold' ? 0 : Math.max(spec?.steps ?? 0, status?.passed ?? 0) + 1;
  return { spec: { steps, deadlineSeconds: DEADLINE_S } };
}

/** Those that are held first, then by name. */
export function inOrderOfUse(pauses: readonly Pause[]): readonly Pause[] {
  return pauses.toSorted((a, b) => Number(isHeld(b)) - Number(isHeld(a)));
}

/** Whether it waits for somebody. */
export function isHeld({ status }: Pause): boolean {
  return status?.held === true;
}

/** How long until it goes on by itself: `4:05`. */
export function remainingText({ status }: Pause, nowMs: number): string {
  const seconds = Math.max(0, Math.floor(((status?.endsAtMs ?? nowMs) - nowMs) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
