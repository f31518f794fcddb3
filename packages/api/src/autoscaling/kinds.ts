import type { KindRules } from '../kind.ts';
import { defaultHorizontalPodAutoscaler } from './defaults.ts';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
} from './horizontal-pod-autoscaler/validation.ts';
import { validateScale } from './scale-validation.ts';

/** Rules of the kinds of the group autoscaling. */
export const AUTOSCALING_KINDS: { readonly [kind: string]: KindRules } = {
  HorizontalPodAutoscaler: {
    defaults: defaultHorizontalPodAutoscaler,
    validate: validateHorizontalPodAutoscaler,
    validateUpdate: validateHorizontalPodAutoscaler,
    validateStatusUpdate: validateHorizontalPodAutoscalerStatusUpdate,
  },
  Scale: { validate: validateScale, validateUpdate: validateScale },
};
