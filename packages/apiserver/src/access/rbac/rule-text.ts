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
  const [what = '', verbText = '', ...more] = text.split(' : ');
  const bracket = what.endsWith(']') ? what.indexOf(' [') : -1;
  const [groups = '', ...targets] = (bracket === -1 ? what : what.slice(0, bracket)).split(' ');
  const names = bracket === -1 ? undefined : what.slice(bracket + 2, -1);
  const words = [groups, ...targets, verbText, names ?? '*'];
  assert(targets.length > 0 && more.length === 0 && !words.includes(''), 'rule text is malformed', { text });
  const verbs = verbText.split(' ').flatMap((word) => VERBS[word] ?? [word]);
  if (groups === 'url') return { verbs: verbs.toSorted(), nonResourceURLs: targets };
  return {
    verbs: verbs.toSorted(),
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: targets,
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  };
}
