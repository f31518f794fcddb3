/** What people read when something is refused, with the kubectl of this machine. All of 1.27 to 1.33: the interop tier. */
import { tellRefusals } from './refusals/tell.ts';

tellRefusals([undefined]);
