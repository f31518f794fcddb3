/** One rule of a SelfSubjectRulesReview. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What somebody wants to do. */
export interface Wish {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: any, or none. */
  readonly name?: string;
}

/** Whether one of the rules allows it. */
export function mayDo(rules: readonly Rule[], wish: Wish): boolean {
  const resource = wish.subresource === undefined ? wish.resource : `${wish.resource}/${wish.subresource}`;
  return rules.some(
    ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      holds(verbs, wish.verb) &&
      holds(apiGroups, wish.group) &&
      (holds(resources, resource) || (wish.subresource !== undefined && resources.includes(`*/${wish.subresource}`))) &&
      (resourceNames.length === 0 || (wish.name !== undefined && resourceNames.includes(wish.name))),
  );
}

function holds(list: readonly string[], one: string): boolean {
  return list.includes('*') || list.includes(one);
}
