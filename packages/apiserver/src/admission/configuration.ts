import { schemas } from '@binnacle/api';
import type { Toleration } from '@binnacle/api/core/v1';
import { createSchemaRegistry, DecodeError, names } from '@binnacle/machinery';
import type { SchemaTable } from '@binnacle/machinery';
import { AdmissionConfigurationError } from './configuration-error.ts';
import type { EventLimit, EventLimitType } from './event-rate-limit.ts';
import { OPEN_POD_SECURITY } from './pod-security/pod-security.ts';
import type { PodSecurityConfiguration } from './pod-security/pod-security.ts';
import {
  LEVEL_EXPECTED,
  MODES,
  parseLevel,
  parseVersion,
  VERSION_EXPECTED,
} from './pod-security/pod-security-policy.ts';
import type { LevelVersion, Mode } from './pod-security/pod-security-policy.ts';
import type { LimitedResource } from './quota/limited-resource.ts';
import type { TolerationRestriction } from './tolerations.ts';

const HEAD = { kind: { type: 'string', omitEmpty: true }, apiVersion: { type: 'string', omitEmpty: true } } as const;
const TEXT = { type: 'string', omitEmpty: true } as const;
const TEXTS = { type: '[]string', omitEmpty: true } as const;
const WHOLE = { type: 'int32' } as const;

/** The plugins' configuration kinds. (facts: config schema v1.36.) */
const TABLE: SchemaTable = {
  PodSecurityConfiguration: {
    fields: { ...HEAD, defaults: { type: '#PodSecurityDefaults' }, exemptions: { type: '#PodSecurityExemptions' } },
  },
  PodSecurityDefaults: {
    fields: {
      enforce: TEXT,
      'enforce-version': TEXT,
      audit: TEXT,
      'audit-version': TEXT,
      warn: TEXT,
      'warn-version': TEXT,
    },
  },
  PodSecurityExemptions: { fields: { usernames: TEXTS, namespaces: TEXTS, runtimeClasses: TEXTS } },
  ResourceQuotaConfiguration: {
    fields: { ...HEAD, limitedResources: { type: '[]#LimitedResource', omitEmpty: true } },
  },
  LimitedResource: {
    fields: {
      apiGroup: TEXT,
      resource: { type: 'string' },
      matchContains: TEXTS,
      matchScopes: { type: '[]#core.v1.ScopedResourceSelectorRequirement', omitEmpty: true },
    },
  },
  EventRateLimit: { fields: { ...HEAD, limits: { type: '[]#EventLimit' } } },
  EventLimit: { fields: { type: { type: 'string' }, qps: WHOLE, burst: WHOLE, cacheSize: WHOLE } },
  PodTolerationRestriction: {
    fields: {
      ...HEAD,
      default: { type: '[]#core.v1.Toleration', omitEmpty: true },
      whitelist: { type: '[]#core.v1.Toleration', omitEmpty: true },
    },
  },
  PodNodeSelector: { fields: { podNodeSelectorPluginConfig: { type: '{}string', omitEmpty: true } } },
};

const registry = createSchemaRegistry(TABLE, schemas);

interface Expected {
  readonly plugin: string;
  readonly struct: string;
  /** Absent: the file has neither version nor kind. */
  readonly kind?: string;
  readonly versions?: readonly string[];
}

/** Reads a document strictly: what is unknown is named and refused. */
function read<T>(document: unknown, { plugin, struct, kind, versions }: Expected): T {
  const head = (typeof document === 'object' && document !== null ? document : {}) as {
    readonly apiVersion?: unknown;
    readonly kind?: unknown;
  };
  if (kind !== undefined && (head.kind !== kind || versions?.includes(String(head.apiVersion)) !== true)) {
    throw new AdmissionConfigurationError(`${plugin}: expected ${kind} of ${versions?.join(' or ')}`);
  }
  try {
    const { value, problems } = registry.decode<T>(struct, document, 'Strict');
    if (problems.length === 0) return value;
    throw new AdmissionConfigurationError(`${plugin}: strict decoding error: ${problems.join(', ')}`);
  } catch (error) {
    if (error instanceof DecodeError) throw new AdmissionConfigurationError(`${plugin}: ${error.message}`);
    throw error;
  }
}

/** `pod-security.admission.config.k8s.io/v1` PodSecurityConfiguration. Throws AdmissionConfigurationError. */
export function readPodSecurity(document: unknown): PodSecurityConfiguration {
  if (document === undefined) return OPEN_POD_SECURITY;
  const read_ = read<{
    readonly defaults: { readonly [name: string]: string | undefined };
    readonly exemptions: Partial<PodSecurityConfiguration['exemptions']>;
  }>(document, {
    plugin: 'PodSecurity',
    struct: 'PodSecurityConfiguration',
    kind: 'PodSecurityConfiguration',
    versions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`),
  });
  const levels = MODES.map((mode) => [mode, readDefault(read_.defaults, mode)] as const);
  const { usernames = [], namespaces = [], runtimeClasses = [] } = read_.exemptions;
  checkNames('namespaces', namespaces, names.dnsLabelErrors);
  checkNames('runtimeClasses', runtimeClasses, names.subdomainErrors);
  checkNames('usernames', usernames, (name) => (name === '' ? ['username must not be empty'] : []));
  const defaults = Object.fromEntries(levels) as { readonly [mode in Mode]: LevelVersion };
  return { defaults, exemptions: { usernames, namespaces, runtimeClasses } };
}

function readDefault(defaults: { readonly [name: string]: string | undefined }, mode: Mode): LevelVersion {
  const levelText = defaults[mode] || 'privileged';
  const versionText = defaults[`${mode}-version`] || 'latest';
  const level = parseLevel(levelText);
  const version = parseVersion(versionText);
  if (level === undefined) {
    throw wrong('PodSecurity', `defaults.${mode}: Invalid value: ${JSON.stringify(levelText)}: ${LEVEL_EXPECTED}`);
  }
  if (version === undefined) {
    const path = `defaults.${mode}-version`;
    throw wrong('PodSecurity', `${path}: Invalid value: ${JSON.stringify(versionText)}: ${VERSION_EXPECTED}`);
  }
  return { level, version };
}

function checkNames(list: string, given: readonly string[], errorsOf: (name: string) => readonly string[]): void {
  for (const [i, name] of given.entries()) {
    const path = `exemptions.${list}[${i}]`;
    const errors = errorsOf(name);
    if (errors.length > 0)
      throw wrong('PodSecurity', `${path}: Invalid value: ${JSON.stringify(name)}: ${errors.join(', ')}`);
    if (given.indexOf(name) !== i) throw wrong('PodSecurity', `${path}: Duplicate value: ${JSON.stringify(name)}`);
  }
}

function wrong(plugin: string, message: string): AdmissionConfigurationError {
  return new AdmissionConfigurationError(`${plugin}: ${message}`);
}

/** `apiserver.config.k8s.io/v1` ResourceQuotaConfiguration. Throws AdmissionConfigurationError. */
export function readLimitedResources(document: unknown): readonly LimitedResource[] {
  if (document === undefined) return [];
  const { limitedResources = [] } = read<{ readonly limitedResources?: readonly Partial<LimitedResource>[] }>(
    document,
    {
      plugin: 'ResourceQuota',
      struct: 'ResourceQuotaConfiguration',
      kind: 'ResourceQuotaConfiguration',
      versions: ['apiserver.config.k8s.io/v1'],
    },
  );
  return limitedResources.map(({ apiGroup = '', resource = '', matchContains = [], matchScopes = [] }, i) => {
    if (resource === '') throw wrong('ResourceQuota', `limitedResources[${i}].resource: Required value`);
    return { apiGroup, resource, matchContains, matchScopes };
  });
}

const EVENT_LIMITS: readonly EventLimitType[] = ['Server', 'Namespace', 'User', 'SourceAndObject'];

/** `eventratelimit.admission.k8s.io/v1alpha1` Configuration. Throws AdmissionConfigurationError. */
export function readEventLimits(document: unknown): readonly EventLimit[] {
  const { limits } = read<{ readonly limits: readonly EventLimit[] | null }>(document, {
    plugin: 'EventRateLimit',
    struct: 'EventRateLimit',
    kind: 'Configuration',
    versions: ['eventratelimit.admission.k8s.io/v1alpha1'],
  });
  if (limits === null || limits.length === 0) throw wrong('EventRateLimit', 'limits: Invalid value: must not be empty');
  for (const [i, { type, qps, burst, cacheSize }] of limits.entries()) {
    const at = `limits[${i}]`;
    if (!EVENT_LIMITS.includes(type)) {
      throw wrong('EventRateLimit', `${at}.type: Unsupported value: ${JSON.stringify(type)}`);
    }
    if (burst <= 0) throw wrong('EventRateLimit', `${at}.burst: Invalid value: ${burst}: must be positive`);
    if (qps <= 0) throw wrong('EventRateLimit', `${at}.qps: Invalid value: ${qps}: must be positive`);
    if (cacheSize < 0)
      throw wrong('EventRateLimit', `${at}.cacheSize: Invalid value: ${cacheSize}: must not be negative`);
  }
  return limits;
}

/** `podtolerationrestriction.admission.k8s.io/v1alpha1` Configuration. Throws AdmissionConfigurationError. */
export function readTolerationRestriction(document: unknown): TolerationRestriction {
  if (document === undefined) return { default: [], whitelist: [] };
  const given = read<{ readonly default?: readonly Toleration[]; readonly whitelist?: readonly Toleration[] }>(
    document,
    {
      plugin: 'PodTolerationRestriction',
      struct: 'PodTolerationRestriction',
      kind: 'Configuration',
      versions: ['podtolerationrestriction.admission.k8s.io/v1alpha1'],
    },
  );
  return { default: given.default ?? [], whitelist: given.whitelist ?? [] };
}

/** The file of PodNodeSelector, which has no version. Throws AdmissionConfigurationError. */
export function readNodeSelectors(document: unknown): ReadonlyMap<string, string> {
  if (document === undefined) return new Map();
  const given = read<{ readonly podNodeSelectorPluginConfig?: { readonly [name: string]: string } }>(document, {
    plugin: 'PodNodeSelector',
    struct: 'PodNodeSelector',
  });
  return new Map(Object.entries(given.podNodeSelectorPluginConfig ?? {}));
}
