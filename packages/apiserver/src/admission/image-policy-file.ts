import { createSchemaRegistry, DecodeError } from '@binnacle/machinery';
import type { SchemaTable } from '@binnacle/machinery';
import { AdmissionConfigurationError } from './configuration-error.ts';

/** How images are asked about. Milliseconds. */
export interface ImagePolicySettings {
  /** Says who is asked. */
  readonly kubeConfigFile: string;
  /** So long a yes holds; 0: not at all. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** Before the second try. */
  readonly retryBackoffMs: number;
  /** Where nobody answers, pods come in. */
  readonly defaultAllow: boolean;
}

const WHOLE = { type: 'int64', omitEmpty: true } as const;

/** The file of ImagePolicyWebhook, which has neither version nor kind. */
const TABLE: SchemaTable = {
  ImagePolicy: { fields: { imagePolicy: { type: '#Webhook' } } },
  Webhook: {
    fields: {
      kubeConfigFile: { type: 'string', omitEmpty: true },
      allowTTL: WHOLE,
      denyTTL: WHOLE,
      retryBackoff: WHOLE,
      defaultAllow: { type: 'bool', omitEmpty: true },
    },
  },
};
const registry = createSchemaRegistry(TABLE);

interface FileWebhook {
  readonly kubeConfigFile?: string;
  readonly allowTTL?: number | bigint;
  readonly denyTTL?: number | bigint;
  readonly retryBackoff?: number | bigint;
  readonly defaultAllow?: boolean;
}

/** Of a time in the file: what it is counted in, what it has to be above and may be, and what 0 means. All in milliseconds. */
interface Span {
  readonly unit: number;
  readonly above: number;
  readonly most: number;
  readonly usual: number;
}

const MINUTE = 60_000;
const SPANS = {
  allowTTL: { unit: 1000, above: 1000, most: 30 * MINUTE, usual: 5 * MINUTE },
  denyTTL: { unit: 1000, above: 1000, most: 30 * MINUTE, usual: MINUTE / 2 },
  retryBackoff: { unit: 1, above: 0, most: 5 * MINUTE, usual: 500 },
} as const;

/** Reads the document that the plugin is told. Throws AdmissionConfigurationError, which names the field. */
export function readImagePolicy(document: unknown): ImagePolicySettings {
  if (document === undefined) throw wrong('expected a configuration with imagePolicy');
  const { imagePolicy } = decode(document);
  const { kubeConfigFile = '', defaultAllow = false } = imagePolicy;
  if (kubeConfigFile === '') throw wrong('imagePolicy.kubeConfigFile: Required value');
  return {
    kubeConfigFile,
    defaultAllow,
    allowTtlMs: timeOf(imagePolicy, 'allowTTL'),
    denyTtlMs: timeOf(imagePolicy, 'denyTTL'),
    retryBackoffMs: timeOf(imagePolicy, 'retryBackoff'),
  };
}

function decode(document: unknown): { readonly imagePolicy: FileWebhook } {
  try {
    const { value, problems } = registry.decode<{ readonly imagePolicy: FileWebhook }>(
      'ImagePolicy',
      document,
      'Strict',
    );
    if (problems.length === 0) return value;
    throw wrong(`strict decoding error: ${problems.join(', ')}`);
  } catch (error) {
    if (error instanceof DecodeError) throw wrong(error.message);
    throw error;
  }
}

/** -1 is none, 0 the usual one. */
function timeOf(given: FileWebhook, field: keyof typeof SPANS): number {
  const { unit, above, most, usual }: Span = SPANS[field];
  const value = Number(given[field] ?? 0);
  if (value === -1) return 0;
  if (value === 0) return usual;
  const ms = value * unit;
  if (ms > above && ms <= most) return ms;
  throw wrong(
    `imagePolicy.${field}: Invalid value: ${value}: must be above ${above / unit} and at most ${most / unit}`,
  );
}

function wrong(message: string): AdmissionConfigurationError {
  return new AdmissionConfigurationError(`ImagePolicyWebhook: ${message}`);
}
