/** The part of @fnproject/fdk that is used; the package ships no types. */
declare module '@fnproject/fdk' {
  export interface FnContext {
    readonly callID: string | null;
    readonly deadline: Date | null;
    readonly httpGateway: {
      readonly method: string | null;
      readonly requestURL: string | null;
      getHeader(name: string): string | null;
      set statusCode(status: number);
      setResponseHeader(name: string, ...values: string[]): void;
    };
  }
  interface Fdk {
    handle(
      handler: (body: Buffer, context: FnContext) => Promise<unknown>,
      options: { inputMode: 'buffer' },
    ): () => void;
    rawResult(result: string | Buffer): unknown;
  }
  const fdk: Fdk;
  export default fdk;
}
