/** What is said of who looks at objects on their way in, and of servers that are joined; at most 25 words a field. */

const OF_RULES = {
  operations: 'Which operations: CREATE, UPDATE, DELETE, CONNECT, or * for all of them.',
  apiGroups: 'Which groups; the empty text is the core one, * alone means all.',
  apiVersions: 'Which versions of the groups; * alone means all.',
  resources:
    'Which resources: pods; pods/log for a subresource; pods/* for all of its subresources; */scale; * without, */* with subresources.',
  scope: 'Cluster, Namespaced, or * (the default) for both. A subresource has the scope of its object.',
} as const;

const OF_WEBHOOKS = {
  name: 'Name of the webhook, with a domain: imagepolicy.example.com. Unique in the configuration.',
  clientConfig: 'How the webhook is reached, and by which authorities its certificate is trusted.',
  rules: 'Which operations on which resources it is asked about; one rule that matches will do.',
  failurePolicy:
    'What follows when it cannot be asked: Fail (the default) refuses the request, Ignore goes on without it.',
  matchPolicy:
    'Equivalent (the default): also asked of requests in another version or group of the resource; Exact: only as the rules say.',
  namespaceSelector:
    'Asked only of objects in namespaces with such labels; of a namespace its own labels count. Empty: all.',
  objectSelector: 'Asked only where the object, old or new, has such labels. Whoever can set labels can avoid it.',
  sideEffects:
    'Whether asking changes anything elsewhere: None, or NoneOnDryRun where it heeds dryRun. Only these are taken.',
  timeoutSeconds:
    'How long it may take to answer, 1 to 30 seconds; 10 by default. Then failurePolicy says what follows.',
  admissionReviewVersions:
    'Versions of AdmissionReview that it understands, best first. The first that the server knows is sent.',
  matchConditions:
    'Expressions that all must be true for it to be asked, at most 64; looked at after rules and selectors.',
} as const;

const OF_POLICIES = {
  paramKind: 'Of which kind the objects are that parameterise the policy; absent: it takes none.',
  matchConstraints: 'Which requests the policy is about at the most; a binding may narrow it. Has to be given.',
  failurePolicy:
    'What follows when an expression fails or is wrong: Fail (the default) refuses the request, Ignore passes over it.',
  matchConditions: 'Expressions that all must be true for the policy to be looked at, at most 64.',
  variables: 'Expressions with names that the others read as variables.NAME; each may use those before it.',
} as const;

const OF_BINDINGS = {
  policyName: 'Name of the policy that is put into force. A binding to one that is not there does nothing.',
  paramRef: 'Which objects parameterise the policy here; only where the policy has a paramKind.',
  matchResources: 'Which requests of those that the policy is about; absent: all of them.',
} as const;

export const ADMISSION_TEXTS = {
  'admissionregistration.v1.ApplyConfiguration': {
    expression:
      'CEL that gives an apply configuration, Object{…}, which is merged as server-side apply does. Atomic lists and maps cannot be changed.',
  },
  'admissionregistration.v1.AuditAnnotation': {
    key: 'Name of the annotation; the name of the policy and a slash are put before it. Unique in the policy.',
    valueExpression:
      'CEL that gives the text; null leaves the annotation out. Several bindings are joined with commas. Cut after 10 kB.',
  },
  'admissionregistration.v1.ExpressionWarning': {
    fieldRef: 'Path of the field with the expression: spec.validations[0].expression.',
    warning: 'What the check of types says of it, with each kind that it was checked against.',
  },
  'admissionregistration.v1.JSONPatch': {
    expression:
      'CEL that gives a list of JSONPatch{op, path, from, value}, carried out in order. jsonpatch.escapeKey() makes a key fit for a path.',
  },
  'admissionregistration.v1.MatchCondition': {
    name: 'Name of the condition, unique in its list; it is told in logs and metrics.',
    expression:
      'CEL that is true or false, of object, oldObject, request and authorizer. False: nothing is asked; a failure follows failurePolicy.',
  },
  'admissionregistration.v1.MatchResources': {
    namespaceSelector: 'Only objects in namespaces with such labels, and things of the whole cluster. Empty: all.',
    objectSelector: 'Only where the object, old or new, has such labels. Empty: all.',
    resourceRules: 'Which operations on which resources; one rule that matches will do.',
    excludeResourceRules: 'Which of them not after all; this goes first.',
    matchPolicy:
      'Equivalent (the default): also requests in another version or group of the resource; Exact: only as the rules say.',
  },
  'admissionregistration.v1.MutatingAdmissionPolicy': {
    '': 'MutatingAdmissionPolicy changes objects on their way in by expressions in CEL; a binding puts it into force.',
    spec: 'What is changed, and of which requests.',
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBinding': {
    '': 'MutatingAdmissionPolicyBinding puts a policy that changes objects into force, with parameters and for some requests.',
    spec: 'Which policy, with which parameters, for which requests.',
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBindingSpec': OF_BINDINGS,
  'admissionregistration.v1.MutatingAdmissionPolicySpec': {
    ...OF_POLICIES,
    mutations: 'What is done to the object, one after the other; each sees what those before it made.',
    reinvocationPolicy:
      'Never, or IfNeeded: once more where others changed the object after it. It should then find nothing to do.',
  },
  'admissionregistration.v1.MutatingWebhook': {
    ...OF_WEBHOOKS,
    reinvocationPolicy: 'Never (the default), or IfNeeded: asked once more where others changed the object after it.',
  },
  'admissionregistration.v1.MutatingWebhookConfiguration': {
    '': 'MutatingWebhookConfiguration names webhooks that may change objects on their way in; they are asked one after the other.',
    webhooks: 'The webhooks, each with the requests that it is asked about.',
  },
  'admissionregistration.v1.Mutation': {
    patchType: 'ApplyConfiguration or JSONPatch: which of the two is given.',
    applyConfiguration: 'An expression for what is to be merged into the object.',
    jsonPatch: 'An expression for the operations that are carried out on the object.',
  },
  'admissionregistration.v1.NamedRuleWithOperations': {
    resourceNames: 'Only objects of these names; absent: of any name.',
    ...OF_RULES,
  },
  'admissionregistration.v1.ParamKind': {
    apiVersion: 'Group and version of the parameters: v1, rules.example.com/v1.',
    kind: 'Kind of the parameters: ConfigMap, or a custom one.',
  },
  'admissionregistration.v1.ParamRef': {
    name: 'Name of the one object with parameters. Either this or selector.',
    namespace:
      'Where the parameters are; absent: in the namespace of what is being looked at. Not for kinds of the whole cluster.',
    selector: 'All objects with such labels: the policy is looked at once with each. Either this or name.',
    parameterNotFoundAction:
      'What follows where there are none: Allow passes over the binding, Deny does what failurePolicy says.',
  },
  'admissionregistration.v1.RuleWithOperations': OF_RULES,
  'admissionregistration.v1.ServiceReference': {
    namespace: 'Namespace of the service.',
    name: 'Name of the service.',
    path: 'Path that the request is sent to.',
    port: 'Port of the service; 443 by default.',
  },
  'admissionregistration.v1.TypeChecking': {
    expressionWarnings: 'What is odd about expressions, by the types of the resources that the policy names.',
  },
  'admissionregistration.v1.ValidatingAdmissionPolicy': {
    '': 'ValidatingAdmissionPolicy refuses objects by expressions in CEL; a binding puts it into force.',
    spec: 'What has to hold, and of which requests.',
    status: 'What was found when its expressions were checked against the types of their resources.',
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': {
    '': 'ValidatingAdmissionPolicyBinding puts a policy that refuses objects into force, with parameters and for some requests.',
    spec: 'Which policy, with which parameters, for which requests, and what follows from a violation.',
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': {
    ...OF_BINDINGS,
    validationActions:
      'What follows from a violation: Deny refuses, Warn tells the caller, Audit notes it. Not Deny and Warn together.',
  },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    ...OF_POLICIES,
    validations: 'Expressions that have to be true. These or auditAnnotations have to be given.',
    auditAnnotations: 'What the audit log notes of each request that the policy is about.',
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyStatus': {
    observedGeneration: 'Which generation of the policy was checked.',
    typeChecking: 'What the check of types found; absent while it has not been made.',
    conditions: 'What else is known of the state of the policy.',
  },
  'admissionregistration.v1.ValidatingWebhook': OF_WEBHOOKS,
  'admissionregistration.v1.ValidatingWebhookConfiguration': {
    '': 'ValidatingWebhookConfiguration names webhooks that may refuse objects; all that match are asked at the same time.',
    webhooks: 'The webhooks, each with the requests that it is asked about.',
  },
  'admissionregistration.v1.Validation': {
    expression:
      'CEL that has to be true, of object, oldObject, request, params, namespaceObject, variables and authorizer.',
    message: 'What the caller is told where it is false. Needed where the expression has several lines.',
    reason: 'Reason and code of the refusal: Unauthorized, Forbidden, Invalid (the default) or RequestEntityTooLarge.',
    messageExpression:
      'CEL that gives the message; it goes before message, which stands in where it fails or gives nothing.',
  },
  'admissionregistration.v1.Variable': {
    name: 'Name, an identifier of CEL, unique in the policy.',
    expression: 'CEL for the value, which is worked out once, when it is first asked for.',
  },
  'admissionregistration.v1.WebhookClientConfig': {
    url: 'Where the webhook is, outside of the cluster: https://host:port/path. Either this or service.',
    service: 'The service in front of the webhook, inside of the cluster. Either this or url.',
    caBundle: 'Certificates, in PEM, by which that of the webhook is trusted; absent: those of the system.',
  },
  'apiregistration.v1.APIService': {
    '': 'APIService says who serves a version of a group; its name is VERSION.GROUP.',
    spec: 'Which version of which group, and who serves it.',
    status: 'Whether it is being served.',
  },
  'apiregistration.v1.APIServiceCondition': {
    type: 'What the condition is about: Available.',
    status: 'Whether it holds: True, False or Unknown.',
    lastTransitionTime: 'When that changed last.',
    reason: 'Why, as one word in CamelCase.',
    message: 'Why, for people.',
  },
  'apiregistration.v1.APIServiceSpec': {
    service:
      'Service of the server that answers; absent: this server itself. It must listen on port 443 unless another is named.',
    group: 'Name of the group.',
    version: 'Name of the version.',
    insecureSkipTLSVerify: 'Whether the certificate of the server is not looked at. Not advised; use caBundle.',
    caBundle: 'Certificates, in PEM, by which that of the server is trusted; absent: those of the system.',
    groupPriorityMinimum:
      'How far in front the group is shown, and preferred by clients where kinds have one name; larger goes first.',
    versionPriority: 'The order of the versions in the group, larger first; of equals v1 goes before v1beta1.',
  },
  'apiregistration.v1.APIServiceStatus': { conditions: 'Whether the server can be reached, and why not.' },
  'apiregistration.v1.ServiceReference': {
    namespace: 'Namespace of the service.',
    name: 'Name of the service.',
    port: 'Port of the service; 443 by default.',
  },
} as const;
