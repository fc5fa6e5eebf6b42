import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Each file that needs one opens a database of its own: more at once than cores only slows them down.
    maxWorkers: 2,
    // Suites make and drop users in one Oracle Database: side by side, their grants would wait for each other.
    fileParallelism: !process.env.TEST_ORACLE_CONNECT_STRING,
  },
});
