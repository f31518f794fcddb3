import { findingsOf, statusFindingsOf, validateCreate, validateStatusUpdate, validateUpdate } from '@binnacle/api';
import type { Pieces } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/definition.ts';
import { inTurns, inTurnsIfLong } from '../request/turns.ts';
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

/** Looks at once, or where that may take long with turns for the others. */
type Looking = Promise<void> | undefined;

/** 422 with everything that is wrong with a new object, given in the stored version. */
export function validateNew(served: ServedResource, object: KubeObject, startTurns: () => Turning): Looking {
  const { validation } = served;
  const found = findingsOf(validation, object) ?? validateCreate(validation, object);
  return refuseFound({ served, object, found }, startTurns);
}

/** What is changed, both in the stored version. */
interface Changed {
  readonly object: KubeObject;
  readonly before: KubeObject;
}

/** 422 with everything that is wrong with a change; the new object must be right by itself. */
export function validateChange(
  served: ServedResource,
  { object, before }: Changed,
  startTurns: () => Turning,
): Looking {
  const { validation } = served;
  const found = findingsOf(validation, object, before) ?? validateUpdate(validation, object, before);
  return refuseFound({ served, object, found }, startTurns);
}

/** 422 with what is wrong with a change of the status. */
export function validateStatusChange(
  served: ServedResource,
  { object, before }: Changed,
  startTurns: () => Turning,
): Looking {
  const { validation } = served;
  const found = statusFindingsOf(validation, object, before) ?? validateStatusUpdate(validation, object, before);
  return refuseFound({ served, object, found }, startTurns);
}

interface Found {
  readonly served: ServedResource;
  readonly object: KubeObject;
  readonly found: FieldError[] | Pieces<FieldError[]>;
}

function refuseFound({ served, object, found }: Found, startTurns: () => Turning): Looking {
  const errors = Array.isArray(found) ? found : inTurnsIfLong(found, startTurns());
  if (Array.isArray(errors)) return refuseInvalid(served, object, errors);
  return errors.then((later) => refuseInvalid(served, object, later));
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
export function refuseInvalid(served: ServedResource, object: KubeObject, errors: readonly FieldError[]): undefined {
  if (errors.length === 0) return undefined;
  const { group, kind } = served.info;
  throw status.invalid({ group, kind }, object.metadata.name ?? '', errors);
}
