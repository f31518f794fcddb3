/**
 * What is said of the fields that every object has. Three begin as upstream's do: its conformance suite looks for
 * these words in what `kubectl explain` prints.
 */
import type { JsonObject } from './dialect.ts';
import { KIND_TEXTS } from './texts/kinds.ts';
import { TRACE_TEXTS } from './texts/trace.ts';

type Descriptions = { readonly [field: string]: string };

/** Of every kind, built in or custom. */
export const OF_OBJECTS = {
  apiVersion: 'APIVersion defines in which group and version of the API the object is written.',
  kind: 'Kind is the name of the type of the object, in CamelCase.',
  metadata: "Standard object's metadata: its name, labels and everything else that all objects have.",
} as const satisfies Descriptions;

/** Of structs, by their name in the table. */
const OF_STRUCTS: { readonly [struct: string]: Descriptions } = {
  ...KIND_TEXTS,
  ...TRACE_TEXTS,
  'meta.v1.ObjectMeta': {
    annotations: 'Annotations are free texts under names that tools choose; nothing is selected by them.',
    creationTimestamp: 'CreationTimestamp is a timestamp of the moment in which the server made the object, in UTC.',
    deletionGracePeriodSeconds: 'Seconds that the object has to end in order, once its deletion has been asked for.',
    deletionTimestamp: 'When the object is to be gone. Set by the server once its deletion has been asked for.',
    finalizers: 'Who must do something before the object may go. It stays until this list is empty.',
    generateName: 'A prefix that the server makes a unique name of, where no name is given.',
    generation: 'A number that the server raises whenever what is wanted of the object changes.',
    labels: 'Short texts by which objects are grouped and selected.',
    managedFields: 'Which manager has set which fields. Kept by the server for applying.',
    name: 'The name, unique among the objects of its kind in the namespace; it never changes.',
    namespace: 'The space in which the name is unique. Empty for objects of the whole cluster.',
    ownerReferences: 'The objects that this one depends on: it is collected when all of them are gone.',
    resourceVersion: 'The version of the object as stored: opaque, for optimistic writes and watches.',
    selfLink: 'Not filled in any more.',
    uid: 'What tells this object from every other one, also from one of the same name before or after it.',
  },
};

/** An ephemeral container has what any container has, and more. */
const LIKE = new Map([['core.v1.EphemeralContainer', 'core.v1.Container']]);

/** Everything that is said, by struct: what the documents of another build may say otherwise. */
export function allDescriptions(): object {
  return { ...OF_STRUCTS, objects: OF_OBJECTS, like: Object.fromEntries(LIKE) };
}

/** What is said of a field of a struct; nothing where nothing is known. An empty name is the struct itself. */
export function descriptionOf(struct: string, field: string, isObject: boolean): JsonObject {
  const own = textOf(struct, field) ?? textOf(LIKE.get(struct), field);
  const text = own ?? (isObject ? textIn(OF_OBJECTS, field) : undefined);
  return text === undefined ? {} : { description: text };
}

function textOf(struct: string | undefined, field: string): string | undefined {
  return struct !== undefined && Object.hasOwn(OF_STRUCTS, struct) ? textIn(OF_STRUCTS[struct], field) : undefined;
}

function textIn(texts: Descriptions | undefined, field: string): string | undefined {
  return texts !== undefined && Object.hasOwn(texts, field) ? texts[field] : undefined;
}
