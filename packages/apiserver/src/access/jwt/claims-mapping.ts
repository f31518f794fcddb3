import { CatalogueError } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import type { Value } from '@binnacle/cel';
import { compileClaims, compileUserRule, userDocument } from './expressions.ts';
import type { ClaimsExpression } from './expressions.ts';
import type { JwtSettings, PrefixedClaim } from '../../ports/authentication-settings.ts';

/** What a token says. */
export type Claims = { readonly [claim: string]: unknown };

/** A token that is genuine and still says too little or the wrong things. */
export class ClaimsError extends CatalogueError {
  constructor(message: string) {
    super('claims', `oidc: ${message}`);
  }
}

/** Makes a user of claims, and refuses those that do not fit. Throws ClaimsError. */
export type ClaimsMapping = (claims: Claims) => UserInfo;

/** Compiles what a configuration says of claims. Throws AuthenticationConfigError. */
export function compileMapping(
  { claimMappings, claimValidationRules = [], userValidationRules = [] }: JwtSettings,
  path: string,
): ClaimsMapping {
  const at = `${path}.claimMappings`;
  const username = usernameOf(claimMappings.username, `${at}.username`);
  const groups = claimMappings.groups === undefined ? undefined : groupsOf(claimMappings.groups, `${at}.groups`);
  const uid = claimMappings.uid === undefined ? undefined : uidOf(claimMappings.uid, `${at}.uid`);
  const extra = (claimMappings.extra ?? []).map(({ key, valueExpression }, i) => ({
    key,
    values: compileClaims(valueExpression, 'texts', `${at}.extra[${i}].valueExpression`),
  }));
  const rules = claimValidationRules.map((rule, i) => claimRule(rule, `${path}.claimValidationRules[${i}]`));
  const userRules = userValidationRules.map(({ expression, message }, i) => {
    const compiled = compileUserRule(expression, `${path}.userValidationRules[${i}].expression`);
    return (user: object) => demandTrue(compiled, user, message);
  });
  return (claims) => {
    const name = username(claims);
    const of = groups?.(claims) ?? [];
    const id = uid?.(claims) ?? '';
    const more = extra.flatMap(({ key, values }) => {
      const found = evaluated(values, claims, textsOf);
      return found.length === 0 ? [] : [[key, found] as const];
    });
    for (const rule of rules) rule(claims);
    const user: UserInfo = {
      name,
      groups: of,
      ...(id === '' ? {} : { uid: id }),
      ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
    };
    for (const rule of userRules) rule(userDocument(user));
    return user;
  };
}

function usernameOf({ claim = '', prefix = '', expression }: PrefixedClaim, path: string): (claims: Claims) => string {
  if (expression !== undefined) {
    const compiled = compileClaims(expression, 'text', `${path}.expression`);
    return (claims) => {
      const name = evaluated(compiled, claims, textOf);
      if (name === '') throw new ClaimsError('username claim expression evaluated to an empty string');
      return name;
    };
  }
  return (claims) => {
    const name = textClaim(claims, claim);
    // An address that its owner has not confirmed is anybody's.
    if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true) {
      throw new ClaimsError('email not verified');
    }
    if (name === '') throw new ClaimsError(`claim ${claim} is empty`);
    return prefix + name;
  };
}

function groupsOf(
  { claim = '', prefix = '', expression }: PrefixedClaim,
  path: string,
): (claims: Claims) => readonly string[] {
  if (expression !== undefined) {
    const compiled = compileClaims(expression, 'texts', `${path}.expression`);
    return (claims) => evaluated(compiled, claims, textsOf);
  }
  if (claim === '') return () => [];
  return (claims) => {
    if (!Object.hasOwn(claims, claim)) {
      const names = claims['_claim_names'];
      if (typeof names === 'object' && names !== null && Object.hasOwn(names, claim)) {
        throw new ClaimsError('distributed claims are not read: the groups must stand in the token');
      }
      return [];
    }
    const value = claims[claim];
    const groups = typeof value === 'string' ? [value] : value;
    if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) {
      throw new ClaimsError(`parse groups claim ${JSON.stringify(claim)}: expected a string or a list of strings`);
    }
    return groups.map((group) => prefix + group);
  };
}

function uidOf(
  { claim = '', expression }: { readonly claim?: string; readonly expression?: string },
  path: string,
): (claims: Claims) => string {
  if (expression !== undefined) {
    const compiled = compileClaims(expression, 'text', `${path}.expression`);
    return (claims) => evaluated(compiled, claims, textOf);
  }
  return claim === '' ? () => '' : (claims) => textClaim(claims, claim);
}

function claimRule(
  { claim = '', requiredValue = '', expression, message }: NonNullable<JwtSettings['claimValidationRules']>[number],
  path: string,
): (claims: Claims) => void {
  if (expression !== undefined) {
    const compiled = compileClaims(expression, 'bool', `${path}.expression`);
    return (claims) => demandTrue(compiled, claims, message);
  }
  return (claims) => {
    if (!Object.hasOwn(claims, claim)) throw new ClaimsError(`required claim ${claim} not present in ID token`);
    const value = textClaim(claims, claim);
    if (value === requiredValue) return;
    throw new ClaimsError(`required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
  };
}

function textClaim(claims: Claims, claim: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return value;
  throw new ClaimsError(
    value === undefined ? `claim not present: ${claim}` : `parse claim ${claim}: expected a string`,
  );
}

function demandTrue(rule: ClaimsExpression, value: object, message = ''): void {
  const isTrue = evaluated(rule, value, (answer) => (typeof answer === 'boolean' ? answer : undefined));
  if (isTrue) return;
  throw new ClaimsError(message === '' ? `validation expression '${rule.source}' failed` : message);
}

function evaluated<T>(
  expression: ClaimsExpression,
  value: object,
  as: (answer: Value | undefined) => T | undefined,
): T {
  let answer: Value | undefined;
  try {
    answer = expression.run(value);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    throw new ClaimsError(`error evaluating ${expression.source}: ${error.message}`);
  }
  const found = as(answer);
  if (found === undefined) throw new ClaimsError(`${expression.source} evaluated to a value of another type`);
  return found;
}

function textOf(answer: Value | undefined): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}

/** Nothing and an empty text are no values. */
function textsOf(answer: Value | undefined): readonly string[] | undefined {
  if (answer === null || answer === '') return [];
  if (typeof answer === 'string') return [answer];
  if (!Array.isArray(answer)) return undefined;
  const texts = answer.filter((one): one is string => typeof one === 'string');
  return texts.length === answer.length ? texts : undefined;
}
