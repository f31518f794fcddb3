import { assert } from '@binnacle/base';
import type { PolicyRule } from '@binnacle/api/rbac/v1';

/**
 * A policy rule on one line, so that the tables of default roles can be read:
 *
 *     core,apps pods deployments : read update          groups, resources, verbs
 *     certificates.k8s.io signers [a b] : sign           resource names in brackets
 *     url /healthz /livez : get                          paths beside the resources
 *
 * `core` is the empty group; `read`, `write` and `all` stand for the verbs that go together.
 */
export type RuleText = string;

const VERBS: { readonly [word: string]: readonly string[] } = {
  read: ['get', 'list', 'watch'],
  write: ['create', 'delete', 'deletecollection', 'patch', 'update'],
  all: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
};

/** The right to write Events, which almost every component has. */
export const EVENTS_RULE: RuleText = 'core,events.k8s.io events : create patch update';

export function parseRule(text: RuleText): PolicyRule {
  const match = /^(\S+) ([^:[]\S*(?: [^[\s]\S*)*?)(?: \[([^\]]+)\])? : (.+)$/.exec(text);
  assert(match !== null, 'rule text is malformed', { text });
  const [, groups = '', targets = '', names, verbText = ''] = match;
  const verbs = verbText.split(' ').flatMap((word) => VERBS[word] ?? [word]);
  if (groups === 'url') return { verbs: verbs.toSorted(), nonResourceURLs: targets.split(' ') };
  return {
    verbs: verbs.toSorted(),
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: targets.split(' '),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  };
}
