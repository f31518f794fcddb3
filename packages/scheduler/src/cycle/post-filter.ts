import type { Failure, MaybePromise, PostFilterResult } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { PreemptionTale } from '../plan/preemption-tale.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import type { Snapshot } from '../plan/snapshot.ts';

export interface PostFilterInput {
  readonly plugins: PluginSet;
  readonly demand: PodDemand;
  readonly snapshot: Snapshot;
  readonly failure: Failure;
}

interface Heard {
  readonly messages: readonly string[];
  readonly nominatedNode?: string;
  readonly preemption?: PreemptionTale;
}

/** Asks one plugin after the other until one finds a node to wait for; without one their messages are joined. */
export function runPostFilters(
  input: PostFilterInput,
  from = 0,
  before: Heard = { messages: [] },
): MaybePromise<PostFilterResult> {
  const { plugins, demand, snapshot, failure } = input;
  let heard = before;
  for (let i = from; i < plugins.postFilter.length; i++) {
    const found = plugins.postFilter[i]?.postFilter?.(demand, snapshot, failure);
    if (found instanceof Promise) {
      const so = heard;
      return found.then((f) => {
        const known = hear(so, f);
        return isFound(known) ? answer(known) : runPostFilters(input, i + 1, known);
      });
    }
    heard = hear(heard, found);
    if (isFound(heard)) break;
  }
  return answer(heard);
}

function hear({ messages, nominatedNode, preemption }: Heard, found: PostFilterResult | undefined): Heard {
  const nominated = found?.nominatedNode ?? nominatedNode;
  const tale = found?.preemption ?? preemption;
  return {
    messages: found?.message === undefined ? messages : [...messages, found.message],
    ...(nominated === undefined ? {} : { nominatedNode: nominated }),
    ...(tale === undefined ? {} : { preemption: tale }),
  };
}

function isFound({ nominatedNode }: Heard): boolean {
  return nominatedNode !== undefined && nominatedNode !== '';
}

function answer(heard: Heard): PostFilterResult {
  const { messages, ...found } = heard;
  const isSilent = isFound(heard) || messages.length === 0;
  return isSilent ? found : { ...found, message: messages.join(', ') };
}
