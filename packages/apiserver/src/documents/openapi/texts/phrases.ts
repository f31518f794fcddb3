/** What is said alike of several kinds: of conditions, of pods that are counted. */

export const CONDITION = {
  type: 'What the condition is about: one word, each at most once in the list.',
  status: 'Whether it holds: True, False or Unknown.',
  reason: 'Why it changed last, as one word for programs.',
  message: 'Why it changed last, as a sentence for people.',
  lastTransitionTime: 'When the status last went from one value to another.',
} as const;
export const PROBED = { ...CONDITION, lastProbeTime: 'When somebody last looked.' } as const;
export const GENERATION = 'The generation that the controller has looked at: what is here is about that one.';
export const COUNTS = {
  replicas: 'Pods that there are, as last counted.',
  readyReplicas: 'Of these, pods that are ready.',
  availableReplicas: 'Of these, pods that have been ready for minReadySeconds.',
  observedGeneration: GENERATION,
  conditions: 'What is known of its state, each under its own type.',
} as const;
export const LABELED = 'Of these, pods that carry all labels of the template.';
