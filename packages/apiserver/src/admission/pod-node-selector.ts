import type { Draft } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { memberOf, status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import { refuse } from './refusal.ts';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

type Labels = ReadonlyMap<string, string>;

/**
 * Where the pods of a namespace may go, by its annotation; of the configuration, by name of the namespace, what they
 * may ask for at most, and under `clusterDefaultNodeSelector` what holds where a namespace says nothing.
 */
export function createPodNodeSelector(configuration: ReadonlyMap<string, string>): AdmissionPlugin {
  const selectorOf = ({ namespaceObject }: AdmissionAttributes): Labels =>
    readLabels(namespaceObject?.metadata.annotations?.[ANNOTATION] ?? configuration.get(CLUSTER_DEFAULT) ?? '');
  const check = (attributes: AdmissionAttributes): void => {
    const { nodeSelector = {} } = (attributes.object as Pod).spec;
    for (const [name, value] of selectorOf(attributes)) {
      const own = memberOf(nodeSelector, name);
      if (own === undefined || own === value) continue;
      throw refuse(attributes, 'pod node label selector conflicts with its namespace node label selector');
    }
    const allowed = readLabels(configuration.get(attributes.namespace) ?? '');
    if (allowed.size === 0) return;
    if (Object.entries(nodeSelector).every(([name, value]) => allowed.get(name) === value)) return;
    throw refuse(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    changes: ['spec.nodeSelector'],
    handles: (operation, info, subresource) =>
      operation === 'CREATE' && subresource === '' && info.group === '' && info.resource === 'pods',
    admit(attributes) {
      const { spec } = attributes.object as Draft<Pod>;
      const selector = selectorOf(attributes);
      check(attributes);
      if (selector.size > 0) spec.nodeSelector = { ...Object.fromEntries(selector), ...spec.nodeSelector };
      check(attributes);
    },
    validate: check,
  };
}

/** `a=b,c=d`. Throws 400 for anything else. */
function readLabels(text: string): Labels {
  const labels = new Map<string, string>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [, name = '', value = ''] = /^([^=]+)=([^=]*)$/.exec(part) ?? [];
    if (name === '') throw status.badRequest(`invalid selector: ${text}`);
    labels.set(name.trim(), value.trim());
  }
  return labels;
}
