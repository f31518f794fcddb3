import type { ResourceInfo } from '@binnacle/api';
import type {
  MutatingWebhook,
  NamedRuleWithOperations,
  RuleWithOperations,
  ValidatingWebhook,
} from '@binnacle/api/admissionregistration/v1';
import { matchesLabels, selectorFromObject, status } from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';

export type AnyWebhook = MutatingWebhook | ValidatingWebhook;

/** Rules of policies may name objects, those of webhooks do not. */
type Rule = RuleWithOperations & Pick<NamedRuleWithOperations, 'resourceNames'>;

/** A webhook with what is read of it once. */
export interface CompiledWebhook<W extends AnyWebhook = AnyWebhook> {
  readonly configuration: string;
  readonly hook: W;
  /** Unlike others of the same name: configuration, name and how often that came before. */
  readonly id: string;
  readonly namespaces: Selector;
  readonly objects: Selector;
}

/** Reads selectors, which are valid. */
export function compileWebhook<W extends AnyWebhook>(configuration: string, hook: W, at: number): CompiledWebhook<W> {
  return {
    configuration,
    hook,
    id: `${configuration}/${hook.name}/${at}`,
    namespaces: selectorFromObject(hook.namespaceSelector ?? {}),
    objects: selectorFromObject(hook.objectSelector ?? {}),
  };
}

/**
 * The version in which the webhook wants to see the request; undefined: it is not asked. Throws 404 for a namespace
 * that is not there, where its labels matter.
 */
export function matchWebhook(compiled: CompiledWebhook, attributes: AdmissionAttributes): ResourceInfo | undefined {
  const { hook } = compiled;
  if (!isSelectedBy(compiled, attributes)) return undefined;
  const version = matchRules(hook.rules ?? [], attributes, hook.matchPolicy !== 'Exact');
  return version !== undefined && isInNamespaces(compiled, attributes) ? version : undefined;
}

/** Which objects are meant, and in which namespaces. */
export interface Selectors {
  readonly namespaces: Selector;
  readonly objects: Selector;
}

/** Whether the object is meant, as it is or as it was. */
export function isSelectedBy({ objects }: Selectors, { object, before }: AdmissionAttributes): boolean {
  return isSelected(objects, object) || isSelected(objects, before);
}

function isSelected(selector: Selector, object: KubeObject | undefined): boolean {
  if (selector.requirements.length === 0) return true;
  return object !== undefined && hasMetadata(object) && matchesLabels(selector, object.metadata.labels ?? {});
}

/** What a connection is asked with has none, so that no selector of objects fits it. */
function hasMetadata(object: Partial<KubeObject>): boolean {
  return object.metadata !== undefined;
}

/** Whether the namespace is meant. Throws 404 for one that is not there, where its labels matter. */
export function isInNamespaces({ namespaces }: Selectors, attributes: AdmissionAttributes): boolean {
  if (namespaces.requirements.length === 0) return true;
  const { info, namespace, object, before, namespaceObject } = attributes;
  if (isNamespace(info)) return matchesLabels(namespaces, (object ?? before)?.metadata.labels ?? {});
  if (!info.namespaced) return true;
  if (namespaceObject === undefined) throw status.notFound({ group: '', resource: 'namespaces' }, namespace);
  return matchesLabels(namespaces, namespaceObject.metadata.labels ?? {});
}

function isNamespace({ group, resource }: ResourceInfo): boolean {
  return group === '' && resource === 'namespaces';
}

/** The version in which rules want to see the request: what was asked for goes first, then the rules in their order. */
export function matchRules(
  rules: readonly Rule[],
  attributes: AdmissionAttributes,
  equivalent: boolean,
): ResourceInfo | undefined {
  if (rules.some((rule) => matchesRule(rule, attributes, attributes.info))) return attributes.info;
  if (!equivalent) return undefined;
  for (const rule of rules) {
    const found = attributes.versions.find((version) => matchesRule(rule, attributes, version));
    if (found !== undefined) return found;
  }
  return undefined;
}

function matchesRule(rule: Rule, { operation, subresource, name }: AdmissionAttributes, info: ResourceInfo): boolean {
  const { scope = '*', operations = [], apiGroups = [], apiVersions = [], resources = [], resourceNames = [] } = rule;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  if (scope !== '*' && (scope === 'Namespaced') !== info.namespaced) return false;
  if (!includes(operations, operation) || !includes(apiGroups, info.group) || !includes(apiVersions, info.version)) {
    return false;
  }
  return resources.some((asked) => {
    const [resource, ...sub] = asked.split('/');
    const part = sub.join('/');
    return (resource === '*' || resource === info.resource) && (part === '*' || part === subresource);
  });
}

function includes(list: readonly string[], asked: string): boolean {
  return list.includes('*') || list.includes(asked);
}
