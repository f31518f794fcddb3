import { RuntimeError } from '../errors.ts';

/** IPv4 addresses of one range, handed out in turn; the network's own, the gateway's and the broadcast address are kept. */
export class AddressPool {
  readonly #base: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  #cursor = 1;

  /** `cidr` like `10.244.7.0/24`; from /8 to /30. */
  constructor(cidr: string) {
    const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
    const bits = Number(parts?.[5]);
    const bytes = (parts ?? []).slice(1, 5).map(Number);
    if (parts === null || bits < 8 || bits > 30 || bytes.some((b) => b > 255)) {
      throw new RuntimeError(`bad range of pod addresses: ${cidr}`, { code: 'bad-range' });
    }
    this.#size = 2 ** (32 - bits);
    const address = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    this.#base = address - (address % this.#size);
  }

  /** The next free address. Throws RuntimeError when none is left. */
  take(): string {
    for (let tried = 0; tried < this.#size; tried++) {
      this.#cursor = this.#cursor + 1 >= this.#size - 1 ? 2 : this.#cursor + 1;
      if (this.#cursor < this.#size - 1 && !this.#used.has(this.#cursor)) {
        this.#used.add(this.#cursor);
        return format(this.#base + this.#cursor);
      }
    }
    throw new RuntimeError('no pod address is left', { code: 'addresses-exhausted' });
  }

  release(address: string): void {
    const value = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
    this.#used.delete(value - this.#base);
  }
}

function format(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}
