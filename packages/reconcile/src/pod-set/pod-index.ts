import { controllerOf } from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';
import type { Informer } from '@binnacle/client';

/** Index: the pods (or replica sets) that a controller with this UID owns. */
export const BY_CONTROLLER = 'controller-uid';

/** Index: all of a namespace. */
export const IN_NAMESPACE = 'namespace';

/** Index: those that have no controller, all of a namespace and by each of their labels. */
const ORPHANS = 'orphans-of-namespace';
/** Index: owners by one label that they select by. */
const BY_SELECTOR = 'selected-label';

/** So many labels of an object are looked up; one that has more is found with all others of its sort. */
const LABELS_MAX = 32;

interface Labels {
  readonly [name: string]: string;
}

/** `ns/app=shop`: neither a namespace nor a name or value of a label has a slash or an equals sign where it could be another. */
function labelled(namespace: string, name: string, value: string): string {
  return `${namespace}/${name}=${value}`;
}

const all = (namespace: string): string => namespace;
/** What cannot be found by a label. */
const rest = (namespace: string): string => `${namespace}/`;

/** The indexes by which an owner finds what is, or could be, its own, and what has no owner finds one. */
export const OWNERSHIP_INDEXES: {
  readonly [name: string]: (object: KubeObject) => readonly string[];
} = {
  [BY_CONTROLLER]: (object) => {
    const controller = controllerOf(object);
    return controller === undefined ? [] : [controller.uid];
  },
  [IN_NAMESPACE]: (object) => [object.metadata.namespace ?? ''],
  [ORPHANS]: (object) => {
    if (controllerOf(object) !== undefined) return [];
    const { namespace = '', labels = {} } = object.metadata;
    const pairs = Object.entries(labels);
    if (pairs.length > LABELS_MAX) return [all(namespace), rest(namespace)];
    return [all(namespace), ...pairs.map(([name, value]) => labelled(namespace, name, value))];
  },
  [BY_SELECTOR]: (object) => {
    const selector = selectorOf(object);
    if (selector === undefined) return [];
    const { namespace = '' } = object.metadata;
    const pair = rarest(selector);
    return [pair === undefined ? rest(namespace) : labelled(namespace, ...pair)];
  },
};

/** What has no controller and may match: mostly those few that have one of the labels selected by. */
export function orphansFor<T extends KubeObject>(
  objects: Pick<Informer<T>, 'byIndex' | 'countByIndex'>,
  namespace: string,
  { requirements, nothing }: Selector,
): readonly T[] {
  if (nothing === true) return [];
  let best: string | undefined;
  let fewest = objects.countByIndex(ORPHANS, all(namespace));
  for (const { key, operator, values } of requirements) {
    const [value] = values;
    if (value === undefined || values.length > 1 || (operator !== '=' && operator !== 'in')) continue;
    const index = labelled(namespace, key, value);
    const count = objects.countByIndex(ORPHANS, index);
    if (count < fewest) [best, fewest] = [index, count];
  }
  if (best === undefined) return objects.byIndex(ORPHANS, all(namespace));
  return [...objects.byIndex(ORPHANS, best), ...objects.byIndex(ORPHANS, rest(namespace))];
}

/** The owners of its namespace that may select an object: those that select by one of its labels, and those by none. */
export function ownersFor<T extends KubeObject>(
  owners: Pick<Informer<T>, 'byIndex' | 'countByIndex'>,
  { namespace = '', labels = {} }: Pick<KubeObject['metadata'], 'namespace' | 'labels'>,
): readonly T[] {
  // As it mostly is for pods that somebody made by hand, of which there may be tens of thousands.
  if (owners.countByIndex(IN_NAMESPACE, namespace) === 0) return NOBODY;
  const found = [...owners.byIndex(BY_SELECTOR, rest(namespace))];
  for (const name in labels) {
    for (const owner of owners.byIndex(BY_SELECTOR, labelled(namespace, name, labels[name] ?? ''))) found.push(owner);
  }
  return found;
}

const NOBODY: readonly never[] = [];

/** Of whatever makes objects by a template: the labels that they are to have, of all that is selected by. */
function selectorOf(object: KubeObject): Labels | undefined {
  const { spec } = object as KubeObject & {
    readonly spec?: { readonly template?: object; readonly selector?: Labels | { readonly matchLabels?: Labels } };
  };
  if (spec?.template === undefined) return undefined;
  const { selector = {} } = spec;
  if (isPlain(selector)) return selector;
  return selector.matchLabels ?? {};
}

/** As replication controllers have it; all other kinds have one more step. */
function isPlain(selector: Labels | { readonly matchLabels?: Labels }): selector is Labels {
  return Object.values(selector).every((value) => typeof value === 'string');
}

/** The pair that most likely few have: what is made for one owner (a hash, a name, a UID) has the longest value. */
function rarest(labels: Labels): readonly [name: string, value: string] | undefined {
  let best: readonly [string, string] | undefined;
  for (const pair of Object.entries(labels)) if (best === undefined || pair[1].length > best[1].length) best = pair;
  return best;
}
