import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const HOOKS: Kind = ['admissionregistration.k8s.io', 'ValidatingWebhookConfiguration', false];
const CHANGING: Kind = ['admissionregistration.k8s.io', 'MutatingWebhookConfiguration', false];
const POLICY: Kind = ['admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', false];
const BINDING: Kind = ['admissionregistration.k8s.io', 'ValidatingAdmissionPolicyBinding', false];
const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const HOOK = {
  name: 'a.b.io',
  clientConfig: { url: 'https://x/y' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [RULE],
};
const hook = (fields: object): object => ({ webhooks: [{ ...HOOK, ...fields }] });
const client = (clientConfig: object): object => hook({ clientConfig });
const rule = (fields: object): object => hook({ rules: [{ ...RULE, ...fields }] });
const policy = (fields: object): object => ({
  spec: { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: 'true' }], ...fields },
});
const AT = 'webhooks[0]';
const FORM = '; desired format: https://host[/path]';

// Provenance: upstream pkg/apis/admissionregistration/validation/validation.go and apiserver's util/webhook.
checkCreate('admission', [
  ['right', 'ValidateValidatingWebhookConfiguration', HOOKS, hook({})],
  [
    'a service',
    'ValidateMutatingWebhookConfiguration',
    CHANGING,
    client({ service: { name: 's', namespace: 'n', path: '/a/b' } }),
  ],
  [
    'nothing',
    'validateValidatingWebhook',
    HOOKS,
    { webhooks: [{ name: 'a.b', admissionReviewVersions: null, sideEffects: null }] },
    `${AT}.name: Invalid value: "a.b": should be a domain with at least three segments separated by dots`,
    `${AT}.sideEffects: Required value: must specify one of None, NoneOnDryRun`,
    `${AT}.clientConfig: Required value: exactly one of url or service is required`,
    `${AT}.admissionReviewVersions: Required value: must specify one of v1, v1beta1`,
  ],
  [
    'wrong choices',
    'validateValidatingWebhook',
    HOOKS,
    hook({
      failurePolicy: 'x',
      matchPolicy: 'x',
      sideEffects: 'Some',
      timeoutSeconds: 31,
      admissionReviewVersions: ['v2', 'v2'],
    }),
    `${AT}.failurePolicy: Unsupported value: "x": supported values: "Fail", "Ignore"`,
    `${AT}.matchPolicy: Unsupported value: "x": supported values: "Equivalent", "Exact"`,
    `${AT}.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`,
    `${AT}.timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`,
    `${AT}.admissionReviewVersions[1]: Invalid value: "v2": duplicate version`,
    `${AT}.admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1`,
  ],
  [
    'an address that is none',
    'ValidateWebhookURL',
    HOOKS,
    client({ url: 'http://u:p@?q#f' }),
    `${AT}.clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme${FORM}`,
    `${AT}.clientConfig.url: Invalid value: "": host must be specified${FORM}`,
    `${AT}.clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL`,
    `${AT}.clientConfig.url: Invalid value: "f": fragments are not permitted in the URL`,
    `${AT}.clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL`,
  ],
  [
    'a service without names',
    'ValidateWebhookService',
    HOOKS,
    client({ service: { port: 0, path: '/a//b' } }),
    `${AT}.clientConfig.service.name: Required value`,
    `${AT}.clientConfig.service.namespace: Required value`,
    `${AT}.clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
    `${AT}.clientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty`,
  ],
  [
    'rules',
    'validateRuleWithOperations',
    HOOKS,
    rule({ operations: ['*', 'x'], apiGroups: [], apiVersions: ['*', ''], scope: 'x' }),
    `${AT}.rules[0].operations: Invalid value: ["*","x"]: if '*' is present, must not specify other operations`,
    `${AT}.rules[0].operations[1]: Unsupported value: "x": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
    `${AT}.rules[0].apiGroups: Required value`,
    `${AT}.rules[0].apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
    `${AT}.rules[0].apiVersions[1]: Required value`,
    `${AT}.rules[0].scope: Unsupported value: "x": supported values: "*", "Cluster", "Namespaced"`,
  ],
  [
    'resources that cover each other',
    'validateResources',
    HOOKS,
    rule({ resources: ['a/*', 'a/b', '*/c', 'd/c', '*/*', '*', 'e'] }),
    `${AT}.rules[0].resources[1]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`,
    `${AT}.rules[0].resources[3]: Invalid value: "d/c": if '*/c' is present, must not specify d/c`,
    `${AT}.rules[0].resources: Invalid value: ["a/*","a/b","*/c","d/c","*/*","*","e"]: if '*/*' is present, must not specify other resources`,
    `${AT}.rules[0].resources: Invalid value: ["a/*","a/b","*/c","d/c","*/*","*","e"]: if '*' is present, must not specify other resources without subresources`,
  ],
  [
    'two of one name',
    'validateValidatingWebhookConfiguration',
    HOOKS,
    { webhooks: [HOOK, HOOK] },
    'webhooks[1].name: Duplicate value: "a.b.io"',
  ],
  [
    'conditions',
    'validateMatchConditions',
    HOOKS,
    hook({
      matchConditions: [
        { name: 'a', expression: ' ' },
        { name: 'a', expression: 'true' },
      ],
    }),
    `${AT}.matchConditions[0].expression: Required value`,
    `${AT}.matchConditions[1].name: Duplicate value: "a"`,
  ],
  ['right', 'ValidateValidatingAdmissionPolicy', POLICY, policy({ paramKind: { apiVersion: 'g.io/v1', kind: 'K' } })],
  [
    'nothing',
    'validateValidatingAdmissionPolicySpec',
    POLICY,
    { spec: {} },
    'spec.matchConstraints: Required value',
    'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
  ],
  [
    'a kind of parameters',
    'validateParamKind',
    POLICY,
    policy({ paramKind: { apiVersion: 'a/b/c', kind: '' } }),
    'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    'spec.paramKind.kind: Required value',
  ],
  [
    'right',
    'ValidateValidatingAdmissionPolicyBinding',
    BINDING,
    { spec: { policyName: 'p', validationActions: ['Deny', 'Audit'] } },
  ],
  [
    'wrong',
    'validateValidatingAdmissionPolicyBindingSpec',
    BINDING,
    { spec: { paramRef: { name: 'a', selector: {} }, validationActions: ['Audit', 'Audit'] } },
    'spec.policyName: Required value',
    'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
    'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    'spec.paramRef.parameterNotFoundAction: Required value',
    'spec.validationActions[1]: Duplicate value: "Audit"',
  ],
]);

checkUpdate('admission', [
  [
    'what was wrong before stays',
    'mutatingHasNoSideEffects',
    HOOKS,
    hook({ sideEffects: 'Some', admissionReviewVersions: ['v2'] }),
    hook({ sideEffects: 'Unknown', admissionReviewVersions: ['v2'] }),
  ],
]);
