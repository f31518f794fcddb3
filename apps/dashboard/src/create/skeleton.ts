import type { Resource } from '../api/discovery.ts';
import type { Schema } from '../editor/schema.ts';
import type { KindSchema } from '../editor/use-schemas.ts';

const DEPTH_MAX = 10;
const NAME = 'example';
/** Not required by any schema, but what most people come for. */
const WORTH = new Set([
  'replicas',
  'image',
  'ports',
  'selector',
  'matchLabels',
  'data',
  'accessModes',
  'storage',
  'requests',
  'resources',
  'template',
  'spec',
]);
/** Where it stands decides: labels of a template are what selectors find. */
const LABELLED = /template\.metadata$/;
const VALUES: { readonly [key: string]: unknown } = {
  name: NAME,
  image: 'nginx',
  port: 80,
  containerPort: 80,
  replicas: 1,
  schedule: '*/5 * * * *',
  restartPolicy: 'Never',
  accessModes: ['ReadWriteOnce'],
  storage: '1Gi',
  apiGroup: 'rbac.authorization.k8s.io',
};

/** An object of a kind to begin with: what its schema requires, and what most people come for. */
export function skeletonOf(kind: Resource, schema: KindSchema | undefined, namespace: string): object {
  const place = kind.namespaced ? { namespace: namespace || 'default' } : {};
  const head = {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: NAME, ...place },
  };
  if (schema === undefined) return head;
  const rest = Object.keys(schema.root.properties ?? {}).filter(
    (key) =>
      !['apiVersion', 'kind', 'metadata', 'status'].includes(key) && isWanted(schema.root, { key, path: key, kind }),
  );
  const found = rest.map((key) => [key, valueOf(schema, [key], kind)] as const);
  return { ...head, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) };
}

function isWanted(
  holder: Schema,
  { key, path, kind }: { readonly key: string; readonly path: string; readonly kind: Resource },
): boolean {
  if ((holder.required ?? []).includes(key)) return true;
  if (key === 'metadata') return path.endsWith('template.metadata');
  // Jobs get selectors of their own.
  if (key === 'selector' && kind.group === 'batch') return false;
  if (key === 'labels') return LABELLED.test(path.slice(0, -'.labels'.length));
  // Containers of a pod that runs by itself may ask for little; a claim is nothing without its size.
  if (key === 'resources') return kind.resource === 'persistentvolumeclaims';
  // Jobs end: their pods may not be started again for ever.
  if (key === 'restartPolicy') return kind.group === 'batch' && !path.includes('containers');
  return WORTH.has(key);
}

function valueOf(schema: KindSchema, path: readonly string[], kind: Resource): unknown {
  const key = path.at(-1) ?? '';
  const at = schema.schemas.at(schema.root, path);
  if (at === undefined || path.length > DEPTH_MAX) return undefined;
  if (Object.hasOwn(VALUES, key) && fits(at, VALUES[key])) return VALUES[key];
  if (at.type === 'array') {
    const item = valueOf(schema, [...path, '[]'], kind);
    return item === undefined ? [] : [item];
  }
  if (at.additionalProperties !== undefined && at.properties === undefined) return mapOf(key, at);
  if (at.properties !== undefined) return membersOf(schema, { at, path, kind });
  if (at.enum !== undefined) return at.enum[0];
  if (at.default !== undefined) return at.default;
  if (at.type === 'integer' || at.type === 'number') return Math.max(1, at.minimum ?? 1);
  return at.type === 'boolean' ? false : NAME;
}

/** Whether a value may stand there: somebody else's kind may have an object, or other choices, by the name of what is known. */
function fits({ type, format, enum: choices }: Schema, value: unknown): boolean {
  if (choices !== undefined && !choices.includes(value)) return false;
  if (type === undefined || format === 'int-or-string') return true;
  if (Array.isArray(value)) return type === 'array';
  return typeof value === 'number' ? type === 'integer' || type === 'number' : type === typeof value;
}

function mapOf(key: string, { additionalProperties }: Schema): object {
  const item = typeof additionalProperties === 'object' ? additionalProperties : {};
  // Of what is no text nobody can guess a member.
  if (!fits(item, NAME)) return {};
  const isBytes = item.format === 'byte';
  if (key === 'requests') return { storage: VALUES['storage'] };
  return key === 'data' ? { key: isBytes ? btoa('value') : 'value' } : { app: NAME };
}

function membersOf(
  schema: KindSchema,
  { at, path, kind }: { readonly at: Schema; readonly path: readonly string[]; readonly kind: Resource },
): object | undefined {
  const keys = Object.keys(at.properties ?? {}).filter((key) =>
    isWanted(at, { key, path: [...path, key].join('.'), kind }),
  );
  const members = keys.map((key) => [key, valueOf(schema, [...path, key], kind)] as const);
  const found = members.filter(([, value]) => value !== undefined);
  return found.length === 0 && path.length > 1 ? undefined : Object.fromEntries(found);
}
