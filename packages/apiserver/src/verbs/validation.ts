import { validateCreate, validateStatusUpdate, validateUpdate } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/definition.ts';
import { inTurns } from '../request/turns.ts';
import type { Turning } from '../request/turns.ts';

/** Fills the kind's defaults into an object as it is served; those of the stored version wait for the conversion. */
export function applyKindDefaults({ ownRules, native, stored }: ServedResource, object: KubeObject): void {
  if (ownRules !== undefined) ownRules.defaults?.(object);
  else if (native) stored.rules.defaults?.(object);
}

/**
 * What objects of the kind are held against is made ready, with turns for the others where that takes long. Undefined: it
 * is ready, as for nearly all objects but the first.
 */
export function makeReady({ validation }: ServedResource, startTurns: () => Turning): Promise<unknown> | undefined {
  const rest = validation.rules?.ready?.();
  return rest === undefined ? undefined : inTurns(rest, startTurns());
}

/** 422 with everything that is wrong with a new object, given in the stored version. */
export function validateNew(served: ServedResource, object: KubeObject): void {
  refuseInvalid(served, object, validateCreate(served.validation, object));
}

/** 422 with everything that is wrong with a change, both given in the stored version; the new one must be right by itself. */
export function validateChange(served: ServedResource, object: KubeObject, before: KubeObject): void {
  refuseInvalid(served, object, validateUpdate(served.validation, object, before));
}

/** 422 with what is wrong with a change of the status, both given in the stored version. */
export function validateStatusChange(served: ServedResource, object: KubeObject, before: KubeObject): void {
  refuseInvalid(served, object, validateStatusUpdate(served.validation, object, before));
}

/** 422 with what the kind's own judge finds in an object that is right by its rules; others have their turn meanwhile. */
export async function judge(
  served: ServedResource,
  { object, before, turns }: { object: KubeObject; before: KubeObject | undefined; turns: Turning },
): Promise<void> {
  const judging = await served.stored.strategy.judge?.(object, before);
  if (judging !== undefined) refuseInvalid(served, object, await inTurns(judging, turns));
}

/** 422 with these errors, where there are any. */
export function refuseInvalid(served: ServedResource, object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const { group, kind } = served.info;
  throw status.invalid({ group, kind }, object.metadata.name ?? '', errors);
}
