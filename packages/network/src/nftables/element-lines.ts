/** Lines of one batch: what goes before what comes. */
export interface ElementLines {
  readonly removed: string[];
  readonly added: string[];
}

/** Elements of one set or map that come and go, as text that grows: there may be a hundred thousand. */
export class ElementChange {
  readonly #name: string;
  #gone = '';
  #come = '';

  /** `name` as nft has it: `ip binnacle service-ips`. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The element's value is another; undefined: it is not there; `''`: it is a set's, that has none. */
  turn(key: string, before: string | undefined, after: string | undefined): void {
    if (before !== undefined) this.#gone += this.#gone === '' ? key : `, ${key}`;
    if (after === undefined) return;
    if (this.#come !== '') this.#come += ', ';
    this.#come += after === '' ? key : `${key} : ${after}`;
  }

  tell({ removed, added }: ElementLines): void {
    if (this.#gone !== '') removed.push(`delete element ${this.#name} { ${this.#gone} }`);
    if (this.#come !== '') added.push(`add element ${this.#name} { ${this.#come} }`);
  }
}
