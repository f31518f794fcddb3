import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import { readObject } from './body.ts';
import type { Call } from '../catalogue/call.ts';
import { asDraft } from '../storage/draft.ts';
import { keepSystemFields, nextGeneration } from './metadata.ts';
import type { Reply } from '../catalogue/reply.ts';
import { PARTS } from './parts.ts';
import { changeObject, statusOnly } from './update-loop.ts';
import type { ObjectChange } from './update-loop.ts';
import { validateChange, validatePartChange, validateStatusChange } from './validation.ts';

/** PUT on an object. */
export async function update(core: Core, call: Call): Promise<Reply> {
  return changeObject(core, call, {
    ...specChange(call),
    ...(await producing(call)),
    createsMissing: call.served.stored.traits.createOnUpdate,
  });
}

/** PUT on `…/status`. */
export async function updateStatus(core: Core, call: Call): Promise<Reply> {
  return changeObject(core, call, { ...statusChange(call), ...(await producing(call)), createsMissing: false });
}

/** PUT on a subresource that shows the whole object and takes one part of it. */
export async function updatePart(core: Core, call: Call): Promise<Reply> {
  return changeObject(core, call, { ...changeOf(call), ...(await producing(call)), createsMissing: false });
}

/** How the subresource of a call, or the object itself, is changed. */
export function changeOf(call: Call): Prepared {
  const { subresource } = call.info;
  if (subresource === 'status' || subresource === 'approval') return statusChange(call);
  if (subresource === 'binding') return ASSIGNMENT;
  const keep = PARTS[subresource];
  if (keep === undefined) return specChange(call);
  const whole = specChange(call);
  return {
    prepare: (object, before) => (keep(object, before), whole.prepare(object, before)),
    validate: (object, before) => validatePartChange(call, object, before),
  };
}

type Prepared = Pick<ObjectChange, 'prepare' | 'validate'>;

/** Binding gives a pod its node and says so in its status: no update may, and it is no new generation. */
const ASSIGNMENT: Prepared = {
  prepare: (object, before) => keepSystemFields(asDraft(object), before),
  validate: () => undefined,
};

/** How an update or patch of the object itself is prepared and checked. */
export function specChange({ served }: Call): Prepared {
  const { rules, strategy } = served.stored;
  return {
    prepare(object, before) {
      const draft = asDraft(object);
      if (served.native) rules.defaults?.(object);
      if (served.hasStatus) draft.status = asDraft(before).status;
      keepSystemFields(draft, before);
      strategy.prepareForUpdate?.(object, before);
      nextGeneration(served, draft, before);
    },
    validate: (object, before) => validateChange(served, object, before),
  };
}

/** How an update or patch of the status is prepared and checked. */
export function statusChange({ served }: Call): Prepared {
  const { rules, strategy } = served.stored;
  return {
    prepare(object, before) {
      if (served.native) rules.defaults?.(object);
      statusOnly(object, before);
      strategy.prepareForStatusUpdate?.(object, before);
    },
    validate: (object, before) => validateStatusChange(served, object, before),
  };
}

/** The body is decoded once; every attempt starts from a fresh shell around it. */
async function producing(call: Call): Promise<Pick<ObjectChange, 'produce' | 'retries'>> {
  const object = await readObject(call, call.served.info);
  checkAgainstUrl(call, object);
  const { served } = call;
  return { produce: () => shell(object, served.info.namespaced ? call.info.namespace : ''), retries: false };
}

function shell(object: KubeObject, namespace: string): KubeObject {
  const metadata = { ...object.metadata, ...(namespace === '' ? {} : { namespace }) };
  return { ...object, metadata };
}

/** Throws 400 where the object is not the one that the URL names. */
export function checkAgainstUrl(call: Call, object: KubeObject): void {
  const { name = '', namespace = '' } = object.metadata;
  const { info } = call;
  if (name === '') {
    throw status.badRequest(
      `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name !== info.name) {
    throw status.badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  if (call.served.info.namespaced && namespace !== '' && namespace !== info.namespace) {
    throw status.badRequest(
      `the namespace of the object (${namespace}) does not match the namespace on the request (${info.namespace})`,
    );
  }
}
