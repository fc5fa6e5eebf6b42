import type { Operation } from '../../../functions/adapters/oracle/session.ts';
import type { ProbeContext } from '../context.ts';
import { block, type ProbeSession } from '../session.ts';

/** As the product's own package: nobody else may set the context. */
const PACKAGE = `CREATE PACKAGE <actor_package> AUTHID DEFINER AS
  PROCEDURE enter(p_who IN VARCHAR2);
  PROCEDURE leave;
END;`;

const PACKAGE_BODY = `CREATE PACKAGE BODY <actor_package> AS
  PROCEDURE enter(p_who IN VARCHAR2) IS
  BEGIN
    DBMS_SESSION.SET_CONTEXT('<actor_context>', 'WHO', p_who);
  END enter;

  PROCEDURE leave IS
  BEGIN
    DBMS_SESSION.CLEAR_ALL_CONTEXT('<actor_context>');
  END leave;
END;`;

const CONTEXT = 'CREATE CONTEXT <actor_context> USING <actor_package>';
const OF_CONTEXT = "SYS_CONTEXT('<actor_context>', 'WHO')";
const ENTER_CONTEXT = 'BEGIN <actor_package>.enter(:who); END;';
const LEAVE_CONTEXT = 'BEGIN <actor_package>.leave; END;';

const OF_IDENTIFIER = "SYS_CONTEXT('USERENV', 'CLIENT_IDENTIFIER')";
const ENTER_IDENTIFIER = 'BEGIN DBMS_SESSION.SET_IDENTIFIER(:who); END;';
const LEAVE_IDENTIFIER = 'BEGIN DBMS_SESSION.CLEAR_IDENTIFIER; END;';

/** Whoever may make a context but not drop it would leave it behind, since it belongs to no schema. */
const NEEDED = ['CREATE ANY CONTEXT', 'DROP ANY CONTEXT', 'CREATE PROCEDURE'];

export interface Actor {
  enter(who: string): Operation;
  leave: Operation;
  /** By what it was done, for the result. */
  by: string;
}

/** What stands for the actor of a statement, `<who>` from now on: a context of its own, or else the client identifier. */
export async function makeActor(context: ProbeContext, session: ProbeSession): Promise<Actor> {
  const { scratch, names } = context;
  const held = await context.privileges(session);
  if (!NEEDED.every((privilege) => held.has(privilege))) {
    names.set('who', OF_IDENTIFIER);
    return {
      enter: (who) => block(ENTER_IDENTIFIER, { who }),
      leave: block(LEAVE_IDENTIFIER),
      by: 'the client identifier',
    };
  }
  names.set('who', OF_CONTEXT);
  scratch.reserve('context', 'actor_context');
  await scratch.create(session, 'package', 'actor_package', PACKAGE, PACKAGE_BODY);
  await session.block(CONTEXT);
  return { enter: (who) => block(ENTER_CONTEXT, { who }), leave: block(LEAVE_CONTEXT), by: 'a context of its own' };
}
