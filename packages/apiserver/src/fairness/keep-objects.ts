import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ServerWorld } from '../ports/world.ts';
import { AUTO_UPDATE, mandatoryObjects, suggestedObjects } from './default-objects.ts';

const FIELD_MANAGER = 'api-priority-and-fairness-config-producer-v1';

type KeepingWorld = Pick<ServerWorld, 'cache' | 'loopback' | 'update'>;
interface Kept {
  readonly ref: ResourceRef<KubeObject>;
  readonly object: KubeObject;
  /** The administrator has no say. */
  readonly mandatory: boolean;
}

/** What is to be done about one object. */
export type Repair =
  | { readonly kind: 'create' }
  | { readonly kind: 'revise'; readonly spec: boolean; readonly annotation: boolean }
  | undefined;

/**
 * Creates what is missing of the server's own flow schemas and levels, puts right what was changed and may not be (or
 * was left to the server), and removes what an older server left. Answers how many objects it wrote.
 */
export async function keepObjects(world: KeepingWorld): Promise<number> {
  const kept = keptObjects();
  const writes = kept.map((one) => keep(world, one));
  for (const ref of [FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS]) {
    const names = new Set(kept.filter((one) => one.ref === ref).map(({ object }) => object.metadata.name));
    for (const { metadata } of world.cache.list(ref)) {
      if (names.has(metadata.name) || autoUpdates(metadata) !== true) continue;
      writes.push(remove(world, ref, metadata.name ?? ''));
    }
  }
  const written = await Promise.all(writes);
  return written.filter(Boolean).length;
}

/** What has to be done so that `existing` is as the server wants it. */
export function repairOf(wanted: KubeObject, existing: KubeObject | undefined, mandatory: boolean): Repair {
  if (existing === undefined) return { kind: 'create' };
  const { metadata } = existing;
  const told = autoUpdates(metadata);
  // One that nobody has changed since it was made is still the server's.
  const ours = mandatory || (told ?? metadata.generation === 1);
  const spec = ours && !covers(specOf(existing), specOf(wanted));
  const annotation = told !== ours;
  return spec || annotation ? { kind: 'revise', spec, annotation: ours } : undefined;
}

function keptObjects(): readonly Kept[] {
  const each = [
    { of: suggestedObjects(), mandatory: false },
    { of: mandatoryObjects(), mandatory: true },
  ];
  return each.flatMap(({ of, mandatory }) => [
    ...of.levels.map((object) => ({
      ref: PRIORITY_LEVEL_CONFIGURATIONS as ResourceRef<KubeObject>,
      object,
      mandatory,
    })),
    ...of.schemas.map((object) => ({ ref: FLOW_SCHEMAS as ResourceRef<KubeObject>, object, mandatory })),
  ]);
}

async function keep({ cache, loopback, update }: KeepingWorld, { ref, object, mandatory }: Kept): Promise<boolean> {
  const name = object.metadata.name ?? '';
  const repair = repairOf(object, cache.get(ref, '', name), mandatory);
  if (repair === undefined) return false;
  try {
    if (repair.kind === 'create') {
      await loopback.call({ verb: 'create', resource: ref, query: { fieldManager: FIELD_MANAGER }, body: object });
      return true;
    }
    await update({ resource: ref, namespace: '', name }, (draft) => {
      const { metadata } = draft;
      const annotations = { ...metadata.annotations, [AUTO_UPDATE]: String(repair.annotation) };
      Object.assign(draft, { metadata: { ...metadata, annotations } });
      if (repair.spec) Object.assign(draft, { spec: specOf(object) });
    });
    return true;
  } catch (error) {
    // Another server on the same store was faster, or took it away: the change is told, and looked at again.
    if (status.isAlreadyExists(error) || status.isNotFound(error) || status.isConflict(error)) return false;
    throw error;
  }
}

async function remove({ loopback }: KeepingWorld, ref: ResourceRef<KubeObject>, name: string): Promise<boolean> {
  try {
    await loopback.call({ verb: 'delete', resource: ref, name });
    return true;
  } catch (error) {
    if (status.isNotFound(error)) return false;
    throw error;
  }
}

/** What the annotation says; undefined where it says nothing that could be understood. */
function autoUpdates({ annotations }: KubeObject['metadata']): boolean | undefined {
  const value = annotations?.[AUTO_UPDATE];
  if (value === undefined) return undefined;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value) ? false : undefined;
}

function specOf(object: KubeObject): unknown {
  return 'spec' in object ? object.spec : undefined;
}

/** Whether both say the same, an absent field and an empty list or `false` being the same. */
function covers(a: unknown, b: unknown): boolean {
  if (isEmpty(a) && isEmpty(b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map<string, unknown>(Object.entries(a)), new Map<string, unknown>(Object.entries(b))];
  return [...new Set([...left.keys(), ...right.keys()])].every((key) => covers(left.get(key), right.get(key)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}
