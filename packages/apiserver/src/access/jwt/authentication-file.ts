import { createSchemaRegistry } from '@binnacle/machinery';
import type { SchemaTable } from '@binnacle/machinery';
import { decodeFile } from '../decode-file.ts';
import { AuthenticationConfigError } from '../errors.ts';
import { compileMapping } from './claims-mapping.ts';
import type {
  AnonymousSettings,
  AuthenticationSettings,
  JwtSettings,
  PrefixedClaim,
} from '../../ports/authentication-settings.ts';

const TEXT = { type: 'string', omitEmpty: true } as const;
const MAYBE = { type: 'string', omitEmpty: true, pointer: true } as const;

/** `apiserver.config.k8s.io/v1` AuthenticationConfiguration. */
const TABLE: SchemaTable = {
  AuthenticationConfiguration: {
    fields: {
      kind: TEXT,
      apiVersion: TEXT,
      jwt: { type: '[]#JWTAuthenticator', omitEmpty: true },
      anonymous: { type: '#Anonymous', omitEmpty: true, pointer: true },
    },
  },
  Anonymous: {
    fields: { enabled: { type: 'bool' }, conditions: { type: '[]#AnonymousCondition', omitEmpty: true } },
  },
  AnonymousCondition: { fields: { path: { type: 'string' } } },
  JWTAuthenticator: {
    fields: {
      issuer: { type: '#Issuer' },
      claimValidationRules: { type: '[]#ClaimValidationRule', omitEmpty: true },
      claimMappings: { type: '#ClaimMappings' },
      userValidationRules: { type: '[]#UserValidationRule', omitEmpty: true },
    },
  },
  Issuer: {
    fields: {
      url: { type: 'string' },
      discoveryURL: MAYBE,
      certificateAuthority: MAYBE,
      audiences: { type: '[]string' },
      audienceMatchPolicy: TEXT,
      egressSelectorType: TEXT,
    },
  },
  ClaimValidationRule: { fields: { claim: MAYBE, requiredValue: MAYBE, expression: MAYBE, message: TEXT } },
  ClaimMappings: {
    fields: {
      username: { type: '#PrefixedClaim' },
      groups: { type: '#PrefixedClaim', omitEmpty: true, pointer: true },
      uid: { type: '#Claim', omitEmpty: true, pointer: true },
      extra: { type: '[]#ExtraMapping', omitEmpty: true },
    },
  },
  PrefixedClaim: { fields: { claim: MAYBE, prefix: MAYBE, expression: MAYBE } },
  Claim: { fields: { claim: MAYBE, expression: MAYBE } },
  ExtraMapping: { fields: { key: { type: 'string' }, valueExpression: { type: 'string' } } },
  UserValidationRule: { fields: { expression: { type: 'string' }, message: TEXT } },
};
const registry = createSchemaRegistry(TABLE);

const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1'];
const JWT_MAX = 64;

interface FileIssuer {
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

interface FileAnonymous {
  readonly enabled: boolean;
  readonly conditions?: readonly { readonly path: string }[];
}

/**
 * Reads an AuthenticationConfiguration that is parsed already. `disallowed`: issuers of our own tokens. Throws
 * AuthenticationConfigError, which names the fields.
 */
export function readAuthenticationFile(document: unknown, disallowed: readonly string[] = []): AuthenticationSettings {
  const { kind, apiVersion } = (typeof document === 'object' && document !== null ? document : {}) as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
  };
  if (kind !== 'AuthenticationConfiguration' || !VERSIONS.includes(String(apiVersion))) {
    throw new AuthenticationConfigError(`expected AuthenticationConfiguration of ${VERSIONS[0]}`);
  }
  const { jwt = [], anonymous } = decodeFile<{
    readonly jwt?: readonly JwtSettings[];
    readonly anonymous?: FileAnonymous;
  }>(registry, 'AuthenticationConfiguration', document);
  if (jwt.length > JWT_MAX)
    throw new AuthenticationConfigError(`jwt: Too many: ${jwt.length}: must have at most ${JWT_MAX} items`);
  const problems = [
    ...jwt.flatMap((one, i) => jwtProblems(one, `jwt[${i}]`, disallowed)),
    ...repeated(jwt.map(({ issuer }) => issuer.url)).map((url) => `jwt: Duplicate value: ${JSON.stringify(url)}`),
    ...anonymousProblems(anonymous),
  ];
  if (problems.length > 0) throw new AuthenticationConfigError(problems.join(', '));
  for (const [i, settings] of jwt.entries()) compileMapping(settings, `jwt[${i}]`);
  return { jwt, anonymous: anonymousOf(anonymous) };
}

function anonymousOf(given: FileAnonymous | undefined): AnonymousSettings | undefined {
  if (given === undefined) return undefined;
  return { enabled: given.enabled, paths: (given.conditions ?? []).map(({ path }) => path) };
}

function anonymousProblems(given: FileAnonymous | undefined): string[] {
  const conditions = given?.conditions ?? [];
  if (given?.enabled === false && conditions.length > 0) {
    return ['anonymous.conditions: Invalid value: enabled should be set to true when conditions are defined'];
  }
  return conditions.flatMap(({ path }, i) =>
    path.startsWith('/')
      ? []
      : [`anonymous.conditions[${i}].path: Invalid value: ${JSON.stringify(path)}: must begin with a '/'`],
  );
}

function jwtProblems(settings: JwtSettings, path: string, disallowed: readonly string[]): string[] {
  return [
    ...issuerProblems(settings.issuer, `${path}.issuer`, disallowed),
    ...mappingProblems(settings, path),
    ...ruleProblems(settings, path),
  ];
}

function issuerProblems(
  issuer: JwtSettings['issuer'] & FileIssuer,
  path: string,
  disallowed: readonly string[],
): string[] {
  const {
    url,
    discoveryURL,
    audiences,
    audienceMatchPolicy = '',
    egressSelectorType = '',
    certificateAuthority,
  } = issuer;
  const problems = urlProblems(url, `${path}.url`, true);
  if (disallowed.includes(url))
    problems.push(
      `${path}.url: Invalid value: ${JSON.stringify(url)}: URL must not overlap with disallowed issuers: [${disallowed.join(' ')}]`,
    );
  if (discoveryURL !== undefined) {
    problems.push(...urlProblems(discoveryURL, `${path}.discoveryURL`, false));
    if (discoveryURL.replace(/\/$/, '') === url.replace(/\/$/, '')) {
      problems.push(
        `${path}.discoveryURL: Invalid value: ${JSON.stringify(discoveryURL)}: discoveryURL must be different from URL`,
      );
    }
  }
  if (certificateAuthority !== undefined && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')) {
    problems.push(`${path}.certificateAuthority: Invalid value: data does not contain any valid certificates`);
  }
  if (audiences.length === 0)
    problems.push(`${path}.audiences: Required value: at least one jwt[*].issuer.audiences is required`);
  for (const [i, audience] of audiences.entries()) {
    if (audience === '') problems.push(`${path}.audiences[${i}]: Required value: audience can't be empty`);
  }
  problems.push(...repeated(audiences).map((one) => `${path}.audiences: Duplicate value: ${JSON.stringify(one)}`));
  if (audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny') {
    problems.push(
      `${path}.audienceMatchPolicy: Invalid value: ${JSON.stringify(audienceMatchPolicy)}: audienceMatchPolicy must be empty or MatchAny`,
    );
  }
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny') {
    problems.push(
      `${path}.audienceMatchPolicy: Invalid value: ${JSON.stringify(audienceMatchPolicy)}: audienceMatchPolicy must be MatchAny for multiple audiences`,
    );
  }
  if (egressSelectorType !== '') {
    problems.push(`${path}.egressSelectorType: Forbidden: this server has no egress selectors`);
  }
  return problems;
}

function urlProblems(text: string, path: string, isIssuer: boolean): string[] {
  if (text === '') return [`${path}: Required value: URL is required`];
  const value = `${path}: Invalid value: ${JSON.stringify(text)}`;
  if (!URL.canParse(text)) return [`${value}: not a URL`];
  const url = new URL(text);
  const problems: string[] = [];
  if (url.protocol !== 'https:') problems.push(`${value}: URL scheme must be https`);
  if (url.username !== '' || url.password !== '')
    problems.push(`${value}: URL must not contain a username or password`);
  if (url.search !== '' && isIssuer) problems.push(`${value}: URL must not contain a query`);
  if (url.hash !== '') problems.push(`${value}: URL must not contain a fragment`);
  return problems;
}

function mappingProblems({ claimMappings }: JwtSettings, path: string): string[] {
  const at = `${path}.claimMappings`;
  const { username, groups = {}, uid = {}, extra = [] } = claimMappings;
  const problems = [
    ...prefixedProblems(username, `${at}.username`, true),
    ...prefixedProblems(groups, `${at}.groups`, false),
  ];
  if (uid.claim !== undefined && uid.expression !== undefined) {
    problems.push(`${at}.uid: Invalid value: "": claim and expression can't both be set`);
  }
  for (const [i, { key, valueExpression }] of extra.entries()) {
    if (!/^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?\/[^A-Z\s]+$/.test(key)) {
      problems.push(
        `${at}.extra[${i}].key: Invalid value: ${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo") in lower case`,
      );
    }
    if (/^(?:[^/]*\.)?(?:k8s|kubernetes)\.io\//.test(key)) {
      problems.push(
        `${at}.extra[${i}].key: Invalid value: ${JSON.stringify(key)}: k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use`,
      );
    }
    if (valueExpression === '')
      problems.push(`${at}.extra[${i}].valueExpression: Required value: valueExpression is required`);
  }
  problems.push(
    ...repeated(extra.map(({ key }) => key)).map((key) => `${at}.extra: Duplicate value: ${JSON.stringify(key)}`),
  );
  return problems;
}

function prefixedProblems({ claim, prefix, expression }: PrefixedClaim, path: string, required: boolean): string[] {
  if (claim !== undefined && expression !== undefined)
    return [`${path}: Invalid value: "": claim and expression can't both be set`];
  if (expression !== undefined) {
    return prefix === undefined
      ? []
      : [`${path}.prefix: Invalid value: ${JSON.stringify(prefix)}: prefix can't be set when expression is set`];
  }
  if (claim === undefined) {
    const problems = required ? [`${path}: Required value: claim or expression is required`] : [];
    return prefix === undefined || required
      ? problems
      : [
          `${path}.prefix: Invalid value: ${JSON.stringify(prefix)}: non-empty claim name is required when prefix is set`,
        ];
  }
  return prefix === undefined
    ? [
        `${path}.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      ]
    : [];
}

function ruleProblems(
  { claimMappings, claimValidationRules = [], userValidationRules = [] }: JwtSettings,
  path: string,
): string[] {
  const problems: string[] = [];
  for (const [i, { claim = '', expression = '', requiredValue, message = '' }] of claimValidationRules.entries()) {
    const at = `${path}.claimValidationRules[${i}]`;
    if (claim !== '' && expression !== '')
      problems.push(`${at}: Invalid value: "": claim and expression can't both be set`);
    if (claim === '' && expression === '') problems.push(`${at}: Required value: claim or expression is required`);
    if (expression !== '' && requiredValue !== undefined)
      problems.push(`${at}.requiredValue: Invalid value: requiredValue can't be set when expression is set`);
    if (claim !== '' && message !== '')
      problems.push(`${at}.message: Invalid value: message can't be set when claim is set`);
  }
  const claims = claimValidationRules.map(({ claim = '' }) => claim).filter((claim) => claim !== '');
  problems.push(
    ...repeated(claims).map((claim) => `${path}.claimValidationRules: Duplicate value: ${JSON.stringify(claim)}`),
  );
  for (const [i, { expression }] of userValidationRules.entries()) {
    if (expression === '')
      problems.push(`${path}.userValidationRules[${i}].expression: Required value: expression is required`);
  }
  const { username, extra = [] } = claimMappings;
  const verified = [
    username.expression,
    ...extra.map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map((rule) => rule.expression),
  ];
  if (
    /\bclaims\s*\.\s*email\b/.test(username.expression ?? '') &&
    !verified.some((one) => /\bemail_verified\b/.test(one ?? ''))
  ) {
    problems.push(
      `${path}.claimMappings.username.expression: Invalid value: ${JSON.stringify(username.expression)}: claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression`,
    );
  }
  return problems;
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
}
