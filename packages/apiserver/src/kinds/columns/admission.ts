import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@binnacle/api/admissionregistration/v1';
import type { APIService } from '@binnacle/api/apiregistration/v1';
import { formatSelector, selectorFromObject } from '@binnacle/machinery';
import { AGE, NAME, createdAgo, integer, nameOf, printer, text } from '../../render/columns.ts';

const PARAMETER_KIND = text('ParamKind', 'What its parameters are.');
const UNSET = '<unset>';

/** Webhook configurations of both sorts. */
export const webhookConfigurationPrinter = printer<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  [NAME, integer('Webhooks', 'How many webhooks it registers.'), AGE],
  (one, now) => [nameOf(one), one.webhooks?.length ?? 0, createdAgo(one, now)],
);

export const validatingPolicyPrinter = printer<ValidatingAdmissionPolicy>(
  [NAME, integer('Validations', 'How many rules it has.'), PARAMETER_KIND, AGE],
  (policy, now) => [
    nameOf(policy),
    policy.spec?.validations?.length ?? 0,
    parameterKind(policy),
    createdAgo(policy, now),
  ],
);

export const mutatingPolicyPrinter = printer<MutatingAdmissionPolicy>(
  [NAME, integer('Mutations', 'How many changes it makes.'), PARAMETER_KIND, AGE],
  (policy, now) => [
    nameOf(policy),
    policy.spec?.mutations?.length ?? 0,
    parameterKind(policy),
    createdAgo(policy, now),
  ],
);

/** Bindings of policies of both sorts. */
export const policyBindingPrinter = printer<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>(
  [NAME, text('PolicyName', 'Policy that it puts to work.'), text('ParamRef', 'Parameters that it gives.'), AGE],
  (binding, now) => [nameOf(binding), binding.spec?.policyName ?? '', parameterOf(binding), createdAgo(binding, now)],
);

export const apiServicePrinter = printer<APIService>(
  [NAME, text('Service', 'Service that answers for the group.'), text('Available', 'Whether it can be reached.'), AGE],
  (one, now) => {
    const service = one.spec?.service;
    const condition = one.status?.conditions?.find(({ type }) => type === 'Available');
    const why = condition?.status === 'True' || !condition?.reason ? '' : ` (${condition.reason})`;
    return [
      nameOf(one),
      service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
      condition === undefined ? 'Unknown' : `${condition.status}${why}`,
      createdAgo(one, now),
    ];
  },
);

function parameterKind({ spec }: ValidatingAdmissionPolicy | MutatingAdmissionPolicy): string {
  const kind = spec?.paramKind;
  return kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : UNSET;
}

/** Whether the parameter has a namespace cannot be told from here. */
function parameterOf({ spec }: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): string {
  const parameter = spec?.paramRef;
  if (!parameter) return UNSET;
  if (parameter.name) return `${parameter.namespace || '*'}/${parameter.name}`;
  return parameter.selector ? formatSelector(selectorFromObject(parameter.selector)) : UNSET;
}
