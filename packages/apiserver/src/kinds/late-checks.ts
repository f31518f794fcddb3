import type { KubeObject } from '@binnacle/machinery';
import type { Judgement, Strategy } from '../ports/strategy.ts';
import type { KindBehaviour } from './behaviour.ts';

/** Everything that is wrong with an object, one piece after the other; `before` is absent for a new one. */
export type LateCheck = (object: KubeObject, before?: KubeObject) => Judgement;

/** Checks of a kind whose code is large and seldom needed: it is loaded with the first object that needs it. */
export function lateChecks(
  isNeeded: (object: KubeObject) => boolean,
  load: () => Promise<LateCheck>,
): Pick<KindBehaviour, 'strategy'> {
  const judge: Strategy['judge'] = async (object, before) =>
    isNeeded(object) ? (await load())(object, before) : undefined;
  return { strategy: { judge } };
}
