/** How far the server has come: where clients reach it, and whether what a cluster starts with is written. */
export class Standing {
  #address = '';
  #ready = false;

  /** `host:port`; empty before it is known. */
  get address(): string {
    return this.#address;
  }

  get ready(): boolean {
    return this.#ready;
  }

  reachableAt(address: string): void {
    this.#address = address;
  }

  finished(): void {
    this.#ready = true;
  }

  closing(): void {
    this.#ready = false;
  }
}
