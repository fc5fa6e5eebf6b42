// The smallest function there is, to measure a cold start against.
import fdk from '@fnproject/fdk';

fdk.handle(async () => 'Hello', { inputMode: 'buffer' });
