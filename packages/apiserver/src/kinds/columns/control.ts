import type { HorizontalPodAutoscaler as AutoscalerV1 } from '@binnacle/api/autoscaling/v1';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@binnacle/api/autoscaling/v2';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import type { FlowSchema, PriorityLevelConfiguration } from '@binnacle/api/flowcontrol/v1';
import { shortDuration } from '../../render/age.ts';
import { AGE, NAME, createdAgo, nameOf, orNone, printer, text } from '../../render/columns.ts';
import type { Cell } from '../../render/columns.ts';
import type { TablePrinter } from '../../ports/columns.ts';
import { storedAutoscaler } from '../autoscaling/horizontal-pod-autoscalers/conversion.ts';

/** So many metrics are shown; of the others how many there are. */
const METRICS_SHOWN = 2;
const UNKNOWN = '<unknown>';

export const autoscalerPrinter: TablePrinter = printer<HorizontalPodAutoscaler>(
  [
    NAME,
    text('Reference', 'What it scales.'),
    text('Targets', 'Each metric as it is and as it should be.'),
    text('MinPods', 'Fewest pods.'),
    text('MaxPods', 'Most pods.'),
    text('Replicas', 'Pods there are.'),
    AGE,
  ],
  (scaler, now) => {
    const { spec, status } = scaler;
    return [
      nameOf(scaler),
      `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
      metricsText(spec.metrics ?? [], status?.currentMetrics ?? []),
      spec.minReplicas === undefined || spec.minReplicas === null ? '<unset>' : String(spec.minReplicas),
      spec.maxReplicas,
      status?.currentReplicas ?? 0,
      createdAgo(scaler, now),
    ];
  },
);

/** The same of the older version, which knows one metric and keeps the others aside. */
export const autoscalerV1Printer: TablePrinter = printer<AutoscalerV1>(autoscalerPrinter.columns, (scaler, now) =>
  autoscalerPrinter.row(storedAutoscaler(scaler), now),
);

export const trustBundlePrinter = printer<ClusterTrustBundle>(
  [NAME, text('SignerName', 'Whose certificates they are.')],
  (bundle) => [nameOf(bundle), orNone(bundle.spec?.signerName)],
);

export const signingRequestPrinter = printer<CertificateSigningRequest>(
  [
    NAME,
    AGE,
    text('SignerName', 'Who is to sign.'),
    text('Requestor', 'Who asked.'),
    text('RequestedDuration', 'For how long.'),
    text('Condition', 'What became of it.'),
  ],
  (request, now) => {
    const { signerName, username, expirationSeconds } = request.spec;
    return [
      nameOf(request),
      createdAgo(request, now),
      orNone(signerName),
      username ?? '',
      expirationSeconds === undefined || expirationSeconds === null
        ? '<none>'
        : shortDuration(expirationSeconds * 1000),
      conditionText(request),
    ];
  },
);

export const flowSchemaPrinter = printer<FlowSchema>(
  [
    NAME,
    text('PriorityLevel', 'Level of its requests.'),
    text('MatchingPrecedence', 'Which goes first of those that match.'),
    text('DistinguisherMethod', 'How its requests are told apart.'),
    AGE,
    text('MissingPL', 'Whether its level is missing.'),
  ],
  (schema, now) => [
    nameOf(schema),
    schema.spec?.priorityLevelConfiguration?.name ?? '',
    schema.spec?.matchingPrecedence ?? 0,
    orNone(schema.spec?.distinguisherMethod?.type),
    createdAgo(schema, now),
    schema.status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
);

export const priorityLevelPrinter = printer<PriorityLevelConfiguration>(
  [
    NAME,
    text('Type', 'Limited or exempt.'),
    text('NominalConcurrencyShares', 'Its share of all places.'),
    text('Queues', 'How many queues.'),
    text('HandSize', 'How many queues a flow may use.'),
    text('QueueLengthLimit', 'How many requests a queue holds.'),
    AGE,
  ],
  (level, now) => {
    const limited = level.spec?.limited;
    const queuing = limited?.limitResponse?.queuing;
    const shown = (value: number | undefined, there: unknown): Cell => (there ? (value ?? 0) : '<none>');
    return [
      nameOf(level),
      level.spec?.type ?? '',
      // The whole number, or the pointer that upstream prints as null.
      limited ? (limited.nominalConcurrencyShares ?? null) : '<none>',
      shown(queuing?.queues, queuing),
      shown(queuing?.handSize, queuing),
      shown(queuing?.queueLengthLimit, queuing),
      createdAgo(level, now),
    ];
  },
);

function conditionText({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean => status?.conditions?.some((one) => one.type === type) === true;
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decided}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  const shown = specs.slice(0, METRICS_SHOWN).map((spec, i) => metricText(spec, statuses[i]));
  const more = specs.length - shown.length;
  return more > 0 ? `${shown.join(', ')} + ${more} more...` : shown.join(', ');
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return valueText(spec.external?.target, status?.external?.current);
    case 'Object':
      return valueText(spec.object?.target, status?.object?.current);
    case 'Pods':
      return `${said(status?.pods?.current.averageValue, status?.pods)}/${String(spec.pods?.target.averageValue ?? 0)}`;
    case 'Resource':
      return `${spec.resource?.name ?? ''}: ${useText(spec.resource?.target, status?.resource?.current)}`;
    case 'ContainerResource':
      return `${spec.containerResource?.name ?? ''}: ${useText(spec.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return '<unknown type>';
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue === undefined) return `${said(current?.value, current)}/${String(target?.value ?? 0)}`;
  const average = current?.averageValue === undefined ? UNKNOWN : String(current.averageValue);
  return `${average}/${String(target.averageValue)} (avg)`;
}

function useText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) {
    return `${said(current?.averageValue, current)}/${String(target.averageValue)}`;
  }
  const used = current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  return `${used}/${target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`}`;
}

/** Where there is a status, what it does not say is nothing. */
function said(value: string | number | undefined, status: object | undefined): string {
  return status === undefined ? UNKNOWN : String(value ?? 0);
}
