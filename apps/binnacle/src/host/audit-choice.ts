import { readFile } from 'node:fs/promises';
import { AuditPolicyError, AuditSinkError, BatchSink, readAuditPolicy, WebhookSink } from '@binnacle/apiserver';
import { LOG_BATCHES, TRUNCATE_DEFAULTS, TruncatingSink, WEBHOOK_BATCHES } from '@binnacle/apiserver';
import type { AuditPolicy, AuditSink, BatchOptions, JsonEndpoint, TruncateOptions } from '@binnacle/apiserver';
import { AuditLog } from '@binnacle/apiserver/node';
import type { AuditChoice } from '@binnacle/cluster/node/control-plane';
import { Option } from 'commander';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { sayOnStderr } from './data-dir.ts';
import { countOption, durationOption, switchOption } from './flag-options.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

type Mode = 'batch' | 'blocking' | 'blocking-strict';

/** The flags of audit, by upstream's names. Durations in milliseconds. */
export interface AuditFlags {
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogMaxage?: number;
  readonly auditLogMaxbackup?: number;
  readonly auditLogMaxsize?: number;
  readonly auditLogFormat?: 'json' | 'legacy';
  readonly auditLogMode?: Mode;
  readonly auditLogBatchBufferSize?: number;
  readonly auditLogBatchMaxSize?: number;
  readonly auditLogBatchMaxWait?: number;
  readonly auditLogBatchThrottleEnable?: boolean;
  readonly auditLogBatchThrottleQps?: number;
  readonly auditLogBatchThrottleBurst?: number;
  readonly auditLogTruncateEnabled?: boolean;
  readonly auditLogTruncateMaxBatchSize?: number;
  readonly auditLogTruncateMaxEventSize?: number;
  readonly auditWebhookConfigFile?: string;
  readonly auditWebhookInitialBackoff?: number;
  readonly auditWebhookMode?: Mode;
  readonly auditWebhookBatchBufferSize?: number;
  readonly auditWebhookBatchMaxSize?: number;
  readonly auditWebhookBatchMaxWait?: number;
  readonly auditWebhookBatchThrottleEnable?: boolean;
  readonly auditWebhookBatchThrottleQps?: number;
  readonly auditWebhookBatchThrottleBurst?: number;
  readonly auditWebhookTruncateEnabled?: boolean;
  readonly auditWebhookTruncateMaxBatchSize?: number;
  readonly auditWebhookTruncateMaxEventSize?: number;
}

/** Adds them to a command. */
export function auditOptions(command: Command): Command {
  command
    .option('--audit-policy-file <file>', 'audit.k8s.io/v1 Policy: which requests are recorded')
    .option('--audit-log-path <file>', 'where events go; - is standard output')
    .addOption(countOption('audit-log-maxage <days>', 'how long old files are kept (default: 366)'))
    .addOption(countOption('audit-log-maxbackup <n>', 'how many old files are kept (default: 100)'))
    .addOption(countOption('audit-log-maxsize <megabytes>', 'when a new file is begun (default: 100)'))
    .addOption(new Option('--audit-log-format <format>', 'of a line').choices(['json', 'legacy']))
    .option('--audit-webhook-config-file <file>', 'kubeconfig of whoever is sent events')
    .addOption(durationOption('audit-webhook-initial-backoff', 'before the second try (default: 10s)'));
  for (const backend of ['log', 'webhook']) {
    const flag = `audit-${backend}`;
    command
      .addOption(
        new Option(`--${flag}-mode <mode>`, 'whether requests wait for it').choices([
          'batch',
          'blocking',
          'blocking-strict',
        ]),
      )
      .addOption(countOption(`${flag}-batch-buffer-size <n>`, 'events that wait at most (default: 10000)'))
      .addOption(countOption(`${flag}-batch-max-size <n>`, 'events of one batch'))
      .addOption(durationOption(`${flag}-batch-max-wait`, 'how long a batch is waited for'))
      .addOption(switchOption(`${flag}-batch-throttle-enable`, 'hold batches back'))
      .addOption(countOption(`${flag}-batch-throttle-qps <n>`, 'batches a second'))
      .addOption(countOption(`${flag}-batch-throttle-burst <n>`, 'batches at once'))
      .addOption(switchOption(`${flag}-truncate-enabled`, 'keep events and batches within the next two'))
      .addOption(countOption(`${flag}-truncate-max-batch-size <bytes>`, 'of a batch (default: 10485760)'))
      .addOption(countOption(`${flag}-truncate-max-event-size <bytes>`, 'of an event (default: 102400)'));
  }
  return command;
}

/** What the flags ask for; nothing without a policy, as upstream. Throws UsageError with the flag. */
export async function auditChoice(flags: AuditFlags): Promise<{ readonly audit?: AuditChoice }> {
  const { auditPolicyFile, auditLogPath = '', auditWebhookConfigFile: hook } = flags;
  if (auditPolicyFile === undefined) {
    if (auditLogPath !== '' || hook !== undefined)
      sayOnStderr('no --audit-policy-file, so that no events are recorded');
    return {};
  }
  if (auditLogPath === '' && hook === undefined)
    sayOnStderr('neither --audit-log-path nor --audit-webhook-config-file, so that no events are recorded');
  const policy = await readPolicy(auditPolicyFile);
  const endpoint = hook === undefined ? undefined : await webhookEndpoint('audit-webhook-config-file', hook);
  const bounds = { Log: truncationOf('Log', flags), Webhook: truncationOf('Webhook', flags) };
  const audit: AuditChoice = (world) => ({
    policy,
    sinks(lost) {
      const { clock } = world;
      const batched = (sink: AuditSink, mode: Mode, batches: BatchOptions): AuditSink =>
        mode === 'batch' ? new BatchSink(sink, batches, { clock, log: world.log, lost }) : sink;
      const bounded = (sink: AuditSink, options: TruncateOptions | undefined): AuditSink =>
        options === undefined ? sink : new TruncatingSink(sink, options, lost);
      const toLog = (): AuditSink => batched(logSink(flags, world), logMode(flags), batchesOf('Log', flags));
      const toHook = (at: JsonEndpoint): AuditSink =>
        batched(webhookSink(flags, at, world), hookMode(flags), batchesOf('Webhook', flags));
      return [
        ...(auditLogPath === '' ? [] : [bounded(toLog(), bounds.Log)]),
        ...(endpoint === undefined ? [] : [bounded(toHook(endpoint), bounds.Webhook)]),
      ];
    },
  });
  return { audit };
}

function logMode({ auditLogMode = 'blocking' }: AuditFlags): Mode {
  return auditLogMode;
}

function hookMode({ auditWebhookMode = 'batch' }: AuditFlags): Mode {
  return auditWebhookMode;
}

type ChoiceWorld = Parameters<AuditChoice>[0];

function logSink(flags: AuditFlags, { clock }: ChoiceWorld): AuditSink {
  const { auditLogPath = '', auditLogFormat, auditLogMaxage, auditLogMaxbackup, auditLogMaxsize } = flags;
  try {
    return new AuditLog(
      {
        path: auditLogPath,
        strict: logMode(flags) === 'blocking-strict',
        ...(auditLogFormat === undefined ? {} : { format: auditLogFormat }),
        ...(auditLogMaxage === undefined ? {} : { maxAge: auditLogMaxage }),
        ...(auditLogMaxbackup === undefined ? {} : { maxBackups: auditLogMaxbackup }),
        ...(auditLogMaxsize === undefined ? {} : { maxSize: auditLogMaxsize }),
      },
      clock,
    );
  } catch (error) {
    if (error instanceof AuditSinkError) throw new UsageError(`--audit-log-path: ${error.message}`, error);
    throw error;
  }
}

function webhookSink(flags: AuditFlags, endpoint: JsonEndpoint, world: ChoiceWorld): AuditSink {
  const { auditWebhookInitialBackoff: initialBackoffMs } = flags;
  const strict = hookMode(flags) === 'blocking-strict';
  return new WebhookSink(world, { endpoint, strict, ...(initialBackoffMs === undefined ? {} : { initialBackoffMs }) });
}

/** Upstream's defaults, with what the flags say otherwise. */
function batchesOf(backend: 'Log' | 'Webhook', flags: AuditFlags): BatchOptions {
  const defaults = backend === 'Log' ? LOG_BATCHES : WEBHOOK_BATCHES;
  const bufferSize = flags[`audit${backend}BatchBufferSize`] ?? defaults.bufferSize;
  const batchSize = flags[`audit${backend}BatchMaxSize`] ?? defaults.batchSize;
  const batchWaitMs = flags[`audit${backend}BatchMaxWait`] ?? defaults.batchWaitMs;
  const throttled = flags[`audit${backend}BatchThrottleEnable`] ?? defaults.throttle !== undefined;
  const qps = flags[`audit${backend}BatchThrottleQps`] ?? WEBHOOK_BATCHES.throttle?.qps ?? 0;
  const burst = flags[`audit${backend}BatchThrottleBurst`] ?? WEBHOOK_BATCHES.throttle?.burst ?? 0;
  const bounds = [bufferSize, batchSize, ...(throttled ? [qps, burst] : [])];
  if (bounds.some((bound) => bound <= 0)) {
    throw new UsageError(`--audit-${backend.toLowerCase()}-batch-…: must be a positive number`);
  }
  return { bufferSize, batchSize, batchWaitMs, ...(throttled ? { throttle: { qps, burst } } : {}) };
}

/** Undefined where events are as large as they are. */
function truncationOf(backend: 'Log' | 'Webhook', flags: AuditFlags): TruncateOptions | undefined {
  const eventBytesMax = flags[`audit${backend}TruncateMaxEventSize`] ?? TRUNCATE_DEFAULTS.eventBytesMax;
  const batchBytesMax = flags[`audit${backend}TruncateMaxBatchSize`] ?? TRUNCATE_DEFAULTS.batchBytesMax;
  const of = `invalid audit truncate ${backend.toLowerCase()} max`;
  if (eventBytesMax <= 0) throw new UsageError(`${of} event size ${eventBytesMax}, must be a positive number`);
  if (batchBytesMax < eventBytesMax) {
    throw new UsageError(`${of} batch size ${batchBytesMax}, must be greater than max event size (${eventBytesMax})`);
  }
  return flags[`audit${backend}TruncateEnabled`] === true ? { eventBytesMax, batchBytesMax } : undefined;
}

async function readPolicy(path: string): Promise<AuditPolicy> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  try {
    return readAuditPolicy(readYaml(await readFile(path, 'utf8')).value);
  } catch (error) {
    if (error instanceof AuditPolicyError)
      throw new UsageError(`--audit-policy-file: ${path}: ${error.message}`, error);
    throw new UsageError(`--audit-policy-file: cannot read ${path}`, error);
  }
}
