import type { Failure, MaybePromise, PostFilterResult } from '../plan/framework.ts';
import type { PodDemand } from '../plan/demand.ts';
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

function hear({ messages, nominatedNode }: Heard, found: PostFilterResult | undefined): Heard {
  const nominated = found?.nominatedNode ?? nominatedNode;
  return {
    messages: found?.message === undefined ? messages : [...messages, found.message],
    ...(nominated === undefined ? {} : { nominatedNode: nominated }),
  };
}

function isFound({ nominatedNode }: Heard): boolean {
  return nominatedNode !== undefined && nominatedNode !== '';
}

function answer({ messages, nominatedNode }: Heard): PostFilterResult {
  const nomination = nominatedNode === undefined ? {} : { nominatedNode };
  const isSilent = isFound({ messages, ...nomination }) || messages.length === 0;
  return isSilent ? nomination : { ...nomination, message: messages.join(', ') };
}
