import { field, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Call, Handler, ObjectPart, Reply } from '../catalogue/definition.ts';
import { asDraft } from '../storage/draft.ts';
import { checkBodyNamespace } from '../request/body-namespace.ts';
import { readObject } from './body.ts';
import { statusOnly } from './change.ts';
import type { Changer, ObjectChange } from './change.ts';
import { keepSystemFields, nextGeneration, withSentEmpties } from './metadata.ts';
import { keepOwnersOnce } from './owner-references.ts';
import { keepsMetadata } from './reset-fields.ts';
import { applyKindDefaults, refuseInvalid, validateChange, validateStatusChange } from './validation.ts';

/** PUT on an object, or on a subresource that shows the whole object and takes one part of it. */
export function createUpdate(changer: Changer): Handler<Call> {
  return (call) => {
    const { served, info } = call;
    const update = (object: KubeObject): Promise<Reply> => {
      checkAgainstUrl(call, object);
      keepOwnersOnce(object, 'as sent', call);
      return changer.change(call, {
        ...changeOf(call),
        // The body is decoded once; every attempt starts from a fresh shell around it.
        produce: () => ({ ...object, metadata: { ...object.metadata } }),
        retries: false,
        createsMissing: info.subresource === '' && served.stored.traits.createOnUpdate,
      });
    };
    const read = readObject(served.schemas, call, served.info);
    return read instanceof Promise ? read.then(update) : update(read);
  };
}

type Prepared = Pick<ObjectChange, 'prepare' | 'validate'>;

/** How the subresource of a call, or the object itself, is changed. */
export function changeOf(call: Call): Prepared {
  const { subresource } = call.info;
  const part = subresource === '' ? undefined : call.served.subresources[subresource]?.part;
  return part === undefined ? specChange(call) : partChange(call, part);
}

function partChange(call: Call, part: ObjectPart): Prepared {
  if (part === 'status') return statusChange(call);
  const whole = part.of === 'status' ? { prepare: statusOnly } : specChange(call);
  return {
    prepare: (object, before) => (part.keep(object, before), whole.prepare(object, before)),
    validate: (object, before) => refuseInvalid(call.served, object, part.validate(object, before)),
  };
}

/** How an update or patch of the object itself is prepared and checked. */
export function specChange({ served }: Call): Prepared {
  const { strategy } = served.stored;
  return {
    prepare(object, before) {
      const draft = asDraft(object);
      applyKindDefaults(served, object);
      if (served.hasStatus) draft.status = asDraft(before).status;
      keepSystemFields(draft, before);
      const old = withSentEmpties(served, draft, before);
      strategy.prepareForUpdate?.(object, old);
      nextGeneration(served, draft, old);
    },
    validate: (object, before, startTurns) => validateChange(served, { object, before }, startTurns),
  };
}

/** How an update or patch of the status is prepared and checked. */
function statusChange({ served }: Call): Prepared {
  const { strategy } = served.stored;
  const isCustom = served.schemas.struct(served.info.schema)?.structural !== undefined;
  const isApart = keepsMetadata({ info: served.info, hasStatus: served.hasStatus, isCustom });
  return {
    prepare(object, before) {
      applyKindDefaults(served, object);
      statusOnly(object, before);
      if (isApart) asDraft(object).metadata = { ...before.metadata, resourceVersion: object.metadata.resourceVersion };
      strategy.prepareForStatusUpdate?.(object, before);
    },
    validate: (object, before, startTurns) => validateStatusChange(served, { object, before }, startTurns),
  };
}

/** Throws 400 where the object is not the one that the URL names. */
export function checkAgainstUrl(call: Call, object: KubeObject): void {
  const { name = '' } = object.metadata;
  const { info } = call;
  if (name === '') {
    throw status.badRequest(
      `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name !== info.name) {
    throw status.badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  if (call.served.info.namespaced) checkBodyNamespace(object.metadata, info.namespace);
}

const IDENTITY = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Throws 422 where a patch or an apply says otherwise who the object is, or when it goes; what is left out stays. */
export function keepIdentity({ served }: Call, object: KubeObject, before: KubeObject): void {
  const errors = IDENTITY.flatMap((name) => {
    const value = object.metadata[name] ?? '';
    const isSame = value === '' || value === before.metadata[name];
    return isSame ? [] : [field.invalid(`metadata.${name}`, value, 'field is immutable')];
  });
  const { group, kind } = served.info;
  if (errors.length > 0) throw status.invalid({ group, kind }, before.metadata.name ?? '', errors);
}
