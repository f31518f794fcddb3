/** What people read when something is refused, with each kubectl that is in use. */
import { tellRefusals } from './refusals/tell.ts';

tellRefusals(['1.27', '1.30', '1.33']);
