import type { Job } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { isIndexed, isLetGo } from './accounting.ts';
import { endedAtMs, indexOf, outcomeOf } from './index-failures.ts';

/** More failures than these make nobody wait longer: the seventh has the longest wait. */
const TOLD_APART = 7;

const NONE: readonly number[] = [];

interface Page {
  /** UIDs of the failed pods that are there: each counts once. */
  readonly noted: ReadonlySet<string>;
  readonly times: readonly number[];
}

/**
 * When the pods of jobs failed, apart from the pods: whoever deletes a failed one (a drain, a person, a collector) must not
 * shorten the wait for the next. Only in memory; after a restart the pods that are left stand for the past.
 */
export class FailureBook {
  readonly #pages = new Map<string, Page>();

  /** Takes note of failed pods; answers when the latest failures since the last success were, ms since the epoch, rising. */
  note(job: Job, pods: readonly Pod[]): readonly number[] {
    // Limits per index have the failures of each index on its pods.
    if (job.spec.backoffLimitPerIndex !== undefined) return NONE;
    const { uid: id = '' } = job.metadata;
    const page = this.#pages.get(id);
    const failed = pods.filter((pod) => isFailure(job, pod));
    // Of thousands that went well none is looked at closer.
    if (failed.length === 0 && (page?.times.length ?? 0) === 0) {
      this.#pages.delete(id);
      return NONE;
    }
    const fresh = failed.filter((pod) => page?.noted.has(uidOf(pod)) !== true);
    const successMs = lastSuccessMs(pods);
    const times = [...(page?.times ?? NONE), ...fresh.map(endedAtMs)]
      .filter((at) => at > successMs)
      .sort((a, b) => a - b)
      .slice(-TOLD_APART);
    this.#pages.set(id, { noted: new Set(failed.map(uidOf)), times });
    return times;
  }

  /** Nothing of the job is waited for any more. */
  forget({ metadata }: Job): void {
    this.#pages.delete(metadata.uid ?? '');
  }
}

/** Who is deleted has failed too, unless it was one too many; an index beyond the completions is nobody's failure. */
function isFailure(job: Job, pod: Pod): boolean {
  if (outcomeOf(job, pod) !== 'failed' || isLetGo(pod)) return false;
  return !isIndexed(job) || (indexOf(pod) ?? Infinity) < (job.spec.completions ?? 0);
}

function lastSuccessMs(pods: readonly Pod[]): number {
  let last = 0;
  for (const pod of pods) if (pod.status?.phase === 'Succeeded') last = Math.max(last, endedAtMs(pod));
  return last;
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
