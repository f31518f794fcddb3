/** What is said of who somebody is and what they may do, of certificates, and of how requests take turns; at most 25 words a field. */

const OF_CONDITIONS = {
  status: 'Whether it holds: True, False or Unknown.',
  lastTransitionTime: 'When that changed last.',
  reason: 'Why, as one word in CamelCase.',
  message: 'Why, for people.',
} as const;

const OF_ATTRIBUTES = {
  resourceAttributes: 'The action, where it is on a resource. Either this or nonResourceAttributes.',
  nonResourceAttributes: 'The action, where it is on another path of the server, such as /healthz.',
} as const;

export const ACCESS_TEXTS = {
  'authentication.v1.BoundObjectReference': {
    kind: 'Kind of the object: Pod, Secret or Node.',
    apiVersion: 'Group and version of the object: v1.',
    name: 'Name of the object.',
    uid: 'Its uid, where it must be this very one.',
  },
  'authentication.v1.SelfSubjectReview': {
    '': 'SelfSubjectReview tells callers who they are to the server; kubectl auth whoami asks it.',
    status: 'The answer.',
  },
  'authentication.v1.SelfSubjectReviewStatus': { userInfo: 'Who made the request, impersonation included.' },
  'authentication.v1.TokenRequest': {
    '': 'TokenRequest asks for a token of a ServiceAccount.',
    spec: 'What the token is for, and how long.',
    status: 'The token.',
  },
  'authentication.v1.TokenRequestSpec': {
    audiences: 'Whom the token is meant for; anybody else should refuse it. Empty: the API server.',
    expirationSeconds:
      'How long it is to hold, at least ten minutes; an hour by default. The server may give another time.',
    boundObjectRef: 'The object that the token lives with: when that is gone, it holds no more.',
  },
  'authentication.v1.TokenRequestStatus': {
    token: 'The token, for the header Authorization: Bearer.',
    expirationTimestamp: 'When it ends.',
  },
  'authentication.v1.TokenReview': {
    '': 'TokenReview asks whether a token is good, and whose it is.',
    spec: 'The token.',
    status: 'The answer.',
  },
  'authentication.v1.TokenReviewSpec': {
    token: 'The token as it was sent.',
    audiences: 'Who asks: the token must be meant for one of these. Empty: the API server.',
  },
  'authentication.v1.TokenReviewStatus': {
    authenticated: 'Whether the token is one of a known user.',
    user: 'Whose it is.',
    audiences: 'Those of the audiences asked for that the token is meant for. Who named some has to find one here.',
    error: 'Why the token could not be checked.',
  },
  'authentication.v1.UserInfo': {
    username: 'Name of the user, unique among those that are active.',
    uid: 'What tells the user from others of the same name over time.',
    groups: 'Groups that the user is in.',
    extra: 'What else the authenticator says of the user.',
  },
  'authorization.v1.FieldSelectorAttributes': {
    rawSelector: 'The selector as text, where it is not taken apart. Not together with requirements.',
    requirements: 'What the selector asks for, all of which has to hold. Not together with rawSelector.',
  },
  'authorization.v1.LabelSelectorAttributes': {
    rawSelector: 'The selector as text, where it is not taken apart. Not together with requirements.',
    requirements: 'What the selector asks for, all of which has to hold. Not together with rawSelector.',
  },
  'authorization.v1.LocalSubjectAccessReview': {
    '': 'LocalSubjectAccessReview asks whether somebody may do something in its namespace.',
    spec: 'Who, and what; its namespace has to be that of the review.',
    status: 'The answer.',
  },
  'authorization.v1.NonResourceAttributes': { path: 'The path: /healthz.', verb: 'The method in small letters: get.' },
  'authorization.v1.NonResourceRule': {
    verbs: 'Which verbs: get, post, put, delete, patch, head, options; * for all.',
    nonResourceURLs: 'Which paths; * alone, or as the last step, stands for any.',
  },
  'authorization.v1.ResourceAttributes': {
    namespace: 'Where the action is; empty: everywhere, or on what has no namespace.',
    verb: 'What is done: get, list, watch, create, update, patch, delete, deletecollection, or * for all.',
    group: 'Group of the resource; empty is the core one, * all of them.',
    version: 'Version of the group; * for all.',
    resource: 'The resource: pods; * for all.',
    subresource: 'A part of it: status, log; empty: the object itself.',
    name: 'Name of the one object; empty: all of them.',
    fieldSelector: 'Narrows a list, watch or deletecollection by fields; not every authorizer looks at it.',
    labelSelector: 'Narrows a list, watch or deletecollection by labels; not every authorizer looks at it.',
  },
  'authorization.v1.ResourceRule': {
    verbs: 'Which verbs; * for all.',
    apiGroups: 'Which groups; the empty text is the core one, * all of them.',
    resources: 'Which resources; * for all, */status for a subresource of all.',
    resourceNames: 'Only objects of these names; empty: of any name.',
  },
  'authorization.v1.SelfSubjectAccessReview': {
    '': 'SelfSubjectAccessReview asks whether the caller may do something; kubectl auth can-i asks it.',
    spec: 'What is to be done.',
    status: 'The answer.',
  },
  'authorization.v1.SelfSubjectAccessReviewSpec': OF_ATTRIBUTES,
  'authorization.v1.SelfSubjectRulesReview': {
    '': 'SelfSubjectRulesReview asks what the caller may do in a namespace. It is for people to look at, not for decisions.',
    spec: 'In which namespace.',
    status: 'What the caller may do.',
  },
  'authorization.v1.SelfSubjectRulesReviewSpec': { namespace: 'The namespace. Has to be given.' },
  'authorization.v1.SubjectAccessReview': {
    '': 'SubjectAccessReview asks whether somebody may do something, anywhere.',
    spec: 'Who, and what.',
    status: 'The answer.',
  },
  'authorization.v1.SubjectAccessReviewSpec': {
    ...OF_ATTRIBUTES,
    user: 'Name of the user. This or groups have to be given.',
    groups: 'Groups of the user.',
    extra: 'What else the authenticator said of the user; authorizers may look at it.',
    uid: 'The uid of the user.',
  },
  'authorization.v1.SubjectAccessReviewStatus': {
    allowed: 'Whether it may be done.',
    denied: 'Whether somebody forbids it, so that nobody else is asked. Both false: nobody has an opinion.',
    reason: 'Why, where the authorizer says so.',
    evaluationError:
      'What went wrong meanwhile. The answer may be right all the same: a missing role does not forbid others.',
  },
  'authorization.v1.SubjectRulesReviewStatus': {
    resourceRules: 'What may be done to resources, in no order, and possibly more than once.',
    nonResourceRules: 'Which other paths may be asked, in no order.',
    incomplete: 'Whether there may be more, since an authorizer cannot list its rules.',
    evaluationError: 'What went wrong meanwhile; the lists may then miss something.',
  },
  'certificates.v1.CertificateSigningRequest': {
    '': 'CertificateSigningRequest asks a signer for a certificate; somebody approves it, then it is issued.',
    spec: 'What is asked for, and by whom. Never changes.',
    status: 'Whether it was approved, and the certificate.',
  },
  'certificates.v1.CertificateSigningRequestCondition': {
    type: 'Approved, Denied or Failed. None of these is ever taken back; no request is both approved and denied.',
    ...OF_CONDITIONS,
    status: 'True; of these three there is no other.',
    lastUpdateTime: 'When the condition was last written.',
  },
  'certificates.v1.CertificateSigningRequestSpec': {
    request: 'A request for a certificate (PKCS#10) in PEM, in base64.',
    signerName: 'Who is to sign: kubernetes.io/kube-apiserver-client and its like, or one of your own, with a domain.',
    expirationSeconds: 'How long the certificate is to hold, at least ten minutes. The signer may choose otherwise.',
    usages: 'What the key is for: digital signature, key encipherment, client auth, server auth and others.',
    username: 'Who made the request. Set by the server.',
    uid: 'The uid of who made the request. Set by the server.',
    groups: 'Groups of who made the request. Set by the server.',
    extra: 'What else is known of who made the request. Set by the server.',
  },
  'certificates.v1.CertificateSigningRequestStatus': {
    conditions: 'What was decided.',
    certificate:
      'The certificate and those between it and the authority, in PEM, in base64. Set by the signer once approved.',
  },
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': {
    nominalConcurrencyShares:
      'Share of the requests in flight that is set aside for this level; 0 by default. It may take more all the same.',
    lendablePercent: 'How much of that others may use while it is free, in percent; 0 by default.',
  },
  'flowcontrol.v1.FlowDistinguisherMethod': {
    type: 'ByUser: each user is a flow; ByNamespace: each namespace.',
  },
  'flowcontrol.v1.FlowSchema': {
    '': 'FlowSchema says which requests go to which priority level, and which of them take turns with each other.',
    spec: 'Which requests, and where they go.',
    status: 'Whether the level that it names is there.',
  },
  'flowcontrol.v1.FlowSchemaCondition': {
    type: 'What the condition is about: Dangling, where the level is not there.',
    ...OF_CONDITIONS,
  },
  'flowcontrol.v1.FlowSchemaSpec': {
    priorityLevelConfiguration:
      'The priority level that the requests go to. Where it is not there, the schema is passed over.',
    matchingPrecedence: 'Of several schemas that match the smallest number goes first, 1 to 10000; 1000 by default.',
    distinguisherMethod: 'How the requests are told apart as flows, which get equal turns; absent: they are one.',
    rules: 'Which requests; one rule that matches will do. None: no request.',
  },
  'flowcontrol.v1.FlowSchemaStatus': { conditions: 'What is known of the state of the schema.' },
  'flowcontrol.v1.GroupSubject': { name: 'Name of the group, or * for all.' },
  'flowcontrol.v1.LimitResponse': {
    type: 'What becomes of a request for which there is no place: Queue it, or Reject it with 429.',
    queuing: 'How queues are laid out; only of Queue.',
  },
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': {
    nominalConcurrencyShares:
      'Share of the requests in flight that is set aside for this level, beside those of others; 30 by default.',
    limitResponse: 'What becomes of requests beyond that.',
    lendablePercent: 'How much of its places others may use while they are free, in percent; 0 by default.',
    borrowingLimitPercent: 'How many places it may use of others, in percent of its own; absent: as many as are free.',
  },
  'flowcontrol.v1.NonResourcePolicyRule': {
    verbs: 'Which verbs; * alone means all.',
    nonResourceURLs: 'Which paths: /healthz, /metrics/* for what is below; * alone means all.',
  },
  'flowcontrol.v1.PolicyRulesWithSubjects': {
    subjects: 'Whose requests. At least one.',
    resourceRules: 'Which of them on resources. These or nonResourceRules have to be given.',
    nonResourceRules: 'Which of them on other paths.',
  },
  'flowcontrol.v1.PriorityLevelConfiguration': {
    '': 'PriorityLevelConfiguration is a level of priority: how many requests it may have in flight, and what becomes of others.',
    spec: 'How many, and what becomes of others.',
    status: 'What is known of the level.',
  },
  'flowcontrol.v1.PriorityLevelConfigurationCondition': { type: 'What the condition is about.', ...OF_CONDITIONS },
  'flowcontrol.v1.PriorityLevelConfigurationReference': { name: 'Name of the PriorityLevelConfiguration.' },
  'flowcontrol.v1.PriorityLevelConfigurationSpec': {
    type: 'Exempt: requests never wait; Limited: there are so many places and no more.',
    limited: 'The places of a limited level.',
    exempt: 'The places that an exempt level sets aside, and what it lends of them.',
  },
  'flowcontrol.v1.PriorityLevelConfigurationStatus': { conditions: 'What is known of the state of the level.' },
  'flowcontrol.v1.QueuingConfiguration': {
    queues: 'How many queues; more of them mean that fewer flows share one. 64 by default.',
    handSize: 'Among how many queues, dealt by its flow, a request takes the shortest; 8 by default, queues at most.',
    queueLengthLimit: 'How many requests may wait in one queue; the next is rejected. 50 by default.',
  },
  'flowcontrol.v1.ResourcePolicyRule': {
    verbs: 'Which verbs; * alone means all.',
    apiGroups: 'Which groups; the empty text is the core one, * alone means all.',
    resources: 'Which resources: pods, nodes/status; * alone means all.',
    clusterScope: 'Whether requests without a namespace match, as those on the whole cluster are.',
    namespaces: 'Which namespaces; * alone means all. May be empty only where clusterScope is true.',
  },
  'flowcontrol.v1.ServiceAccountSubject': {
    namespace: 'Namespace of the ServiceAccount.',
    name: 'Name of the ServiceAccount, or * for all of the namespace.',
  },
  'flowcontrol.v1.Subject': {
    kind: 'User, Group or ServiceAccount: which of the three is given.',
    user: 'A user by name.',
    group: 'A group by name.',
    serviceAccount: 'A ServiceAccount, or all of a namespace.',
  },
  'flowcontrol.v1.UserSubject': { name: 'Name of the user, or * for all.' },
  'meta.v1.FieldSelectorRequirement': {
    key: 'Name of the field: metadata.name.',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'The values, for In and NotIn; none for the others.',
  },
} as const;
