import { atOnce } from '@binnacle/base';
import type { Scale } from '@binnacle/api/autoscaling/v1';
import {
  field,
  formatSelector,
  groupVersion,
  selectorFromObject,
  selectorFromSet,
  shapeOfStruct,
  status,
} from '@binnacle/machinery';
import type { KubeObject, LabelSelector, SchemaRegistry } from '@binnacle/machinery';
import { readObject } from './body.ts';
import type { Call, Reply, SubresourceDefinition } from '../catalogue/definition.ts';
import { entryOf } from './get.ts';
import { applyConflict, checkConfiguration, readConfiguration, untyped } from './apply.ts';
import { isDecodeError } from './body-errors.ts';
import type { FieldOwnership } from './field-ownership.ts';
import { isApply, patchedAs, readPatch } from './patch.ts';
import { ownersBehindScale, ownersOfScale } from './scale-owners.ts';
import type { Changer } from './change.ts';
import { specChange } from './update.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: 'autoscaling.v1.Scale' };

/** What all scalable kinds have in common. */
interface Scalable extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector | { readonly [label: string]: string };
  };
  readonly status?: { readonly replicas?: number };
}

/** How a kind's objects are seen as a Scale, and changed by one. */
export interface ScaleView {
  /** Where an object has its number, in path elements of owned fields. */
  readonly path: readonly string[];
  read(object: KubeObject): Scale;
  /** A new object; `before` stays as it is. */
  write(before: KubeObject, scale: Scale): KubeObject;
}

export interface ScaleWorld {
  readonly changer: Changer;
  readonly ownership: FieldOwnership;
  /** Absent: `spec.replicas`, `status.replicas` and `spec.selector`. */
  readonly view?: ScaleView;
  /** Has the struct of Scale. */
  readonly schemas: SchemaRegistry;
}

/** `…/scale`: the number of replicas of any scalable kind, as an object of its own. */
export function createScale({ changer, ownership, schemas, view = PLAIN_VIEW }: ScaleWorld): SubresourceDefinition {
  return {
    handlers: {
      get: (call) => ({ kind: 'object', code: 200, object: view.read(call.served.view(entryOf(call))) }),
      async update(call) {
        const scale = (await readObject(schemas, call, SCALE)) as Scale;
        checkName(call, scale);
        // Who does not say which version is meant means the one that is there.
        const retries = (scale.metadata.resourceVersion ?? '') === '';
        return scaled(changer, call, { view, retries, produce: (before) => view.write(before, scale) });
      },
      async patch(call) {
        if (isApply(call.request)) return scaled(changer, call, await scaleApply({ ownership, schemas, view }, call));
        const patching = await readPatch(call);
        return scaled(changer, call, {
          view,
          retries: true,
          produce(before) {
            const { schema } = SCALE;
            const wanted = patchedAs<Scale>(call, patching, { target: view.read(before), schemas, schema });
            checkName(call, wanted);
            return view.write(before, wanted);
          },
        });
      },
    },
  };
}

interface ApplyWorld extends Pick<ScaleWorld, 'ownership' | 'schemas'> {
  readonly view: ScaleView;
}

/** An apply owns the number alone. Who lists it no more leaves it as it is: a Scale is no place to forget about pods. */
async function scaleApply({ ownership, schemas, view }: ApplyWorld, call: Call): Promise<Scaling> {
  const configuration = await readConfiguration(call);
  checkConfiguration(SCALE, configuration);
  const seenAs = { shape: shapeOfStruct(schemas, SCALE.schema), apiVersion: groupVersion(SCALE) };
  const { path } = view;
  const apiVersion = groupVersion(call.served.info);
  const produce = (before: KubeObject): KubeObject => {
    const seen = view.read(before) as KubeObject;
    const { managedFields } = before.metadata;
    const live = { ...seen, metadata: { ...seen.metadata, managedFields: ownersOfScale(managedFields, path) } };
    try {
      const outcome = atOnce(ownership.applied(call, { live: live as KubeObject, configuration, seenAs }));
      if ('conflicts' in outcome) throw applyConflict(outcome.conflicts);
      const wanted = schemas.decode<Scale>(SCALE.schema, configuration).value;
      checkName(call, wanted);
      const { resourceVersion, uid } = wanted.metadata ?? {};
      const metadata = { ...seen.metadata, resourceVersion, ...(uid === undefined ? {} : { uid }) };
      const spec = wanted.spec?.replicas === undefined ? (seen as Scale).spec : wanted.spec;
      const made = view.write(before, { ...seen, metadata, spec } as Scale);
      const entries = ownersBehindScale(managedFields, outcome.entries, { path, apiVersion });
      return { ...made, metadata: { ...made.metadata, managedFields: entries } } as KubeObject;
    } catch (error) {
      if (!isDecodeError(error)) throw error;
      throw untyped(SCALE, configuration, error.message);
    }
  };
  return { view, retries: true, keepsEntries: true, produce };
}

/** Throws 400 for a Scale of another name than the URL says. */
function checkName({ info }: Call, { metadata }: Scale): void {
  const name = metadata?.name ?? '';
  if (name === '' || name === info.name) return;
  throw status.badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
}

interface Scaling {
  readonly view: ScaleView;
  readonly retries: boolean;
  readonly produce: (before: KubeObject) => KubeObject;
  /** The owners of what is produced are its own. */
  readonly keepsEntries?: boolean;
}

async function scaled(
  changer: Changer,
  call: Call,
  { view, retries, produce, keepsEntries = false }: Scaling,
): Promise<Reply> {
  const reply = await changer.change(call, {
    ...specChange(call),
    produce(before) {
      if (before === undefined) throw status.notFound(call.served.info, call.info.name);
      return produce(before);
    },
    retries,
    keepsEntries,
    createsMissing: false,
  });
  const object = reply.kind === 'entry' ? call.served.view(reply.entry) : 'object' in reply ? reply.object : undefined;
  return object === undefined ? reply : { kind: 'object', code: 200, object: view.read(object as KubeObject) };
}

const PLAIN_VIEW: ScaleView = {
  path: ['f:spec', 'f:replicas'],
  read: (object) => scaleOf(object as Scalable),
  write: (before, scale) => withScale(before as Scalable, scale),
};

/** The metadata of an object as its Scale has it; a version that the Scale does not name is the object's own. */
export function describedBy({ metadata }: KubeObject, scale: Scale): KubeObject['metadata'] {
  const { resourceVersion = '', uid } = scale.metadata;
  return {
    ...metadata,
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(uid === undefined ? {} : { uid }),
  } as KubeObject['metadata'];
}

function withScale(before: Scalable, scale: Scale): KubeObject {
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas < 0) {
    const error = field.invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw status.invalid(SCALE, before.metadata.name ?? '', [error]);
  }
  return { ...before, metadata: describedBy(before, scale), spec: { ...before.spec, replicas } } as KubeObject;
}

function scaleOf(object: Scalable): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: object.spec?.replicas ?? 0 },
    status: { replicas: object.status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  } as Scale;
}

function selectorText({ kind, spec }: Scalable): string {
  if (spec?.selector === undefined) return '';
  return formatSelector(
    kind === 'ReplicationController'
      ? selectorFromSet(spec.selector as { readonly [label: string]: string })
      : selectorFromObject(spec.selector as LabelSelector),
  );
}
