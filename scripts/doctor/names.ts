/**
 * What stands for `<name>` in the statements of a probe: scratch objects, the model, values that DDL takes no binds for.
 * An operator never looks like one, since there are blanks around it.
 */
export class Names {
  readonly #values = new Map<string, string>();

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  fill(sql: string): string {
    // Twice, since a value may name another.
    return this.#fillOnce(this.#fillOnce(sql));
  }

  #fillOnce(sql: string): string {
    return sql.replace(/<([a-z_]+)>/g, (_, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) throw new Error(`<${name}> stands for nothing in: ${sql.split('\n', 1)[0]}`);
      return value;
    });
  }
}
