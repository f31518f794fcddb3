import { NetworkError } from '../errors.ts';
import type { RunTool } from '../machine/run-tool.ts';

/**
 * Whether a chain is there, with rules that look into all of these maps: `nft flush table` leaves tables and chains behind
 * that hold nobody back.
 */
export async function hasRules(
  run: RunTool,
  chain: { readonly table: string; readonly name: string; readonly maps: readonly string[] },
): Promise<boolean> {
  try {
    const said = await run(['nft', 'list', 'chain', ...chain.table.split(' '), chain.name]);
    const words = new Set(said.split(/\s+/));
    return chain.maps.every((map) => words.has(`@${map}`));
  } catch (error) {
    if (error instanceof NetworkError) return false;
    throw error;
  }
}
