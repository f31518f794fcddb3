import { status, StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import { admit, admitFinally } from './admission.ts';
import { readObject } from './body.ts';
import type { Call } from '../catalogue/call.ts';
import { asDraft } from '../storage/draft.ts';
import { generateName, stampNew } from './metadata.ts';
import type { Reply } from '../catalogue/reply.ts';
import { validateNew } from './validation.ts';
import { keyOf, putObject } from './write.ts';

/** A generated name that is taken is tried again with another suffix this often, as upstream does. */
const NAME_ATTEMPTS = 8;

/** POST on a collection. */
export async function create(core: Core, call: Call): Promise<Reply> {
  const object = await readObject(call, call.served.info);
  return createObject(core, call, object);
}

/** Takes a decoded object through preparing, admission and validation into the store. */
export async function createObject(core: Core, call: Call, object: KubeObject): Promise<Reply> {
  const base = checkNewName(call, object);
  for (let attempt = 1; ; attempt++) {
    if (base !== '') asDraft(object).metadata.name = generateName(core, base);
    try {
      return await createOnce(core, call, object);
    } catch (error) {
      if (base === '' || attempt === NAME_ATTEMPTS || !status.isAlreadyExists(error)) throw error;
    }
  }
}

async function createOnce(core: Core, call: Call, object: KubeObject): Promise<Reply> {
  const { served } = call;
  const { stored } = served;
  prepare(core, call, object);
  const name = object.metadata.name ?? '';
  const admission = { operation: 'CREATE', object, before: undefined, name } as const;
  await admit(core, call, admission);
  const allocation = await stored.strategy.allocate?.(object, undefined, call.dryRun);
  try {
    validateNew(served, object);
    await admitFinally(core, call, admission);
    for (const warning of stored.strategy.warnings?.(object) ?? []) call.warn(warning);
    const reply = await store(core, call, object);
    if (call.dryRun) await allocation?.undo();
    else await allocation?.done?.();
    return reply;
  } catch (error) {
    await allocation?.undo();
    throw error;
  }
}

async function store(core: Core, call: Call, object: KubeObject): Promise<Reply> {
  const { served, info } = call;
  const name = object.metadata.name ?? '';
  const key = keyOf(served.info.namespaced, info.namespace, name);
  if (call.dryRun) {
    if (served.stored.cache.get(key) !== undefined) throw status.alreadyExists(served.info, name);
    return { kind: 'object', code: 201, object };
  }
  const outcome = await putObject(core, { served, key, object, replaces: 0, cause: call.cause });
  if (!outcome.written) throw status.alreadyExists(served.info, name);
  return { kind: 'entry', code: 201, served, entry: outcome.entry };
}

/** Defaults, what the server sets by itself, and the strategy of the kind. */
function prepare(core: Core, call: Call, object: KubeObject): void {
  const { stored, hasStatus, native } = call.served;
  const draft = asDraft(object);
  if (native) stored.rules.defaults?.(object);
  if (hasStatus && stored.strategy.keepsStatusOnCreate !== true) draft.status = call.served.emptyStatus();
  stampNew(core, draft, {
    namespace: call.served.info.namespaced ? call.info.namespace : '',
    generation: stored.traits.generation,
  });
  stored.strategy.prepareForCreate?.(object);
}

/** Settles namespace and name between URL and body; answers with the base of a name to generate, or ''. */
function checkNewName(call: Call, object: KubeObject): string {
  const { metadata } = asDraft(object);
  if ((metadata.namespace ?? '') !== '' && metadata.namespace !== call.info.namespace && call.served.info.namespaced) {
    throw status.badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (!call.served.info.namespaced && (metadata.namespace ?? '') !== '') {
    throw status.badRequest('namespace is not allowed on this type');
  }
  if ((metadata.resourceVersion ?? '') !== '') {
    throw new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion should not be set on objects to be created',
      code: 500,
    });
  }
  return (metadata.name ?? '') === '' ? (metadata.generateName ?? '') : '';
}
