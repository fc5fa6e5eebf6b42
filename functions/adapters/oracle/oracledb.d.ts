/** oracledb brings no types; driver.ts says what is used of it. */
declare module 'oracledb' {
  const oracledb: import('./driver.ts').Driver;
  export default oracledb;
}

declare module 'oracledb/plugins/token/extensionOci/index.js';
