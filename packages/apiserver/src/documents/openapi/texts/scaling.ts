/** What is said of automatic scaling and of webhooks that admit, in words of our own: at most 25 of them a field. */

const METRIC = {
  type: 'Which of these it is: Resource, ContainerResource, Pods, Object or External.',
  resource: 'CPU or memory of all containers of the pods.',
  containerResource: 'CPU or memory of one container of each pod.',
  pods: 'A figure that each pod tells, averaged over them.',
  object: 'A figure of another object, as requests a second of an Ingress.',
  external: 'A figure from outside of the cluster, as the length of a queue.',
} as const;
const TARGET = 'What it should be.';
const CURRENT = 'What it is, as last measured.';
const FIGURE = 'Which figure.';
const CONTAINER = { name: 'The resource: cpu or memory.', container: 'The container of the pods.' } as const;
const OBJECT = { metric: FIGURE, describedObject: 'The object that the figure is of, in the same namespace.' } as const;
const HPA = {
  '': 'Changes how many replicas there are, so that a figure stays near its target.',
  spec: 'What is scaled, by which figures and within which bounds.',
  status: 'What it saw and decided last.',
} as const;
const HPA_STATUS = {
  currentReplicas: 'How many replicas there were when it looked last.',
  desiredReplicas: 'How many it then found right.',
  lastScaleTime: 'When it last changed the number.',
  observedGeneration: 'The generation that the controller has looked at.',
} as const;

export const SCALING_TEXTS = {
  'autoscaling.v1.HorizontalPodAutoscaler': HPA,
  'autoscaling.v1.HorizontalPodAutoscalerSpec': {
    maxReplicas: 'So many at most.',
    minReplicas: 'So many at least. 1 by default.',
    scaleTargetRef: 'What is scaled: anything with a scale subresource.',
    targetCPUUtilizationPercentage: 'CPU that pods should use on average, in percent of what they ask for.',
  },
  'autoscaling.v1.HorizontalPodAutoscalerStatus': {
    ...HPA_STATUS,
    currentCPUUtilizationPercentage: 'CPU that pods use on average, in percent of what they ask for.',
  },
  'autoscaling.v2.HorizontalPodAutoscaler': HPA,
  'autoscaling.v2.HorizontalPodAutoscalerStatus': {
    ...HPA_STATUS,
    conditions: 'Whether it can scale, does scale, or is held by a bound; each under its own type.',
    currentMetrics: 'What each figure is, as last measured.',
  },
  'autoscaling.v2.HorizontalPodAutoscalerCondition': {
    type: 'AbleToScale, ScalingActive or ScalingLimited.',
    status: 'Whether it holds: True, False or Unknown.',
    reason: 'Why it changed last, as one word for programs.',
    message: 'Why it changed last, as a sentence for people.',
    lastTransitionTime: 'When the status last went from one value to another.',
  },
  'autoscaling.v2.HorizontalPodAutoscalerBehavior': {
    scaleUp: 'How fast it may grow. By default four pods or twice as many in 15 seconds, whichever is more.',
    scaleDown: 'How fast it may shrink. By default at once, once five minutes have asked for it.',
  },
  'autoscaling.v2.HPAScalingRules': {
    policies: 'How much may change in how long; several give several answers.',
    selectPolicy: 'Which answer counts: the largest (Max, the default), the smallest (Min), or no change (Disabled).',
    stabilizationWindowSeconds:
      'How far it looks back, so as not to follow every swing. 0 for growth, 300 for shrinking by default.',
    tolerance: 'How far off the target it may be without a change; a tenth by default.',
  },
  'autoscaling.v2.HPAScalingPolicy': {
    type: 'Pods: a number of them; Percent: of those that there are.',
    value: 'How many, or how many percent. Above 0.',
    periodSeconds: 'In how long: 1 to 1800 seconds.',
  },
  'autoscaling.v2.MetricSpec': METRIC,
  'autoscaling.v2.MetricStatus': METRIC,
  'autoscaling.v2.MetricTarget': {
    type: 'How it is compared: Utilization, Value or AverageValue.',
    averageUtilization: 'Average over the pods, in percent of what they ask for. For resources only.',
    averageValue: 'Average over the pods.',
    value: 'The figure itself.',
  },
  'autoscaling.v2.MetricValueStatus': {
    averageUtilization: 'The average over the pods, in percent of what they ask for.',
    averageValue: 'Average over the pods.',
    value: 'The figure itself.',
  },
  'autoscaling.v2.MetricIdentifier': {
    name: 'Name of the figure.',
    selector: 'Labels by which the figure is narrowed, for whoever serves it.',
  },
  'autoscaling.v2.ResourceMetricSource': { name: CONTAINER.name, target: TARGET },
  'autoscaling.v2.ResourceMetricStatus': { name: CONTAINER.name, current: CURRENT },
  'autoscaling.v2.ContainerResourceMetricSource': { ...CONTAINER, target: TARGET },
  'autoscaling.v2.ContainerResourceMetricStatus': { ...CONTAINER, current: CURRENT },
  'autoscaling.v2.PodsMetricSource': { metric: FIGURE, target: TARGET },
  'autoscaling.v2.PodsMetricStatus': { metric: FIGURE, current: CURRENT },
  'autoscaling.v2.ObjectMetricSource': { ...OBJECT, target: TARGET },
  'autoscaling.v2.ObjectMetricStatus': { ...OBJECT, current: CURRENT },
  'autoscaling.v2.ExternalMetricSource': { metric: FIGURE, target: TARGET },
  'autoscaling.v2.ExternalMetricStatus': { metric: FIGURE, current: CURRENT },
} as const;
