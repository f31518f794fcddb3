/** Uses of tokens of accounts, in upstream's names (kubernetes/pkg/serviceaccount). */
import type { TokenMeasures, TokenUse } from '../ports/measures.ts';
import { CounterFamily } from './series.ts';

type Row = readonly [name: string, help: string, uses: readonly TokenUse[]];

const ROWS: readonly Row[] = [
  ['legacy_tokens_total', 'Uses of tokens that Secrets keep.', ['legacyManual', 'legacyAuto']],
  ['stale_tokens_total', 'Uses of projected tokens that should have been renewed.', ['stale']],
  ['legacy_manual_token_uses_total', 'Uses of tokens in Secrets that somebody made.', ['legacyManual']],
  ['legacy_auto_token_uses_total', 'Uses of tokens in Secrets that accounts name.', ['legacyAuto']],
  ['invalid_legacy_auto_token_uses_total', 'Uses of such tokens that hold no more.', ['invalidLegacyAuto']],
  ['valid_tokens_total', 'Uses of projected tokens.', ['valid']],
];

export class TokenFigures implements TokenMeasures {
  readonly #families = ROWS.map(([name, help, uses]) => {
    const family = new CounterFamily({ name: `serviceaccount_${name}`, help, labels: [] });
    return { family, uses, counter: family.series([]) };
  });

  used(use: TokenUse): void {
    for (const { uses, counter } of this.#families) {
      if (counter !== undefined && uses.includes(use)) counter.count++;
    }
  }

  render(out: string[]): void {
    for (const { family } of this.#families) family.render(out);
  }
}
