"""A servlet container with an application: Tomcat 10 and its examples, driven over HTTP with sessions, servlets and JSP pages."""
import http.client
import pathlib
import re
import threading

import harness

NAME = "servlet container"
OLDEST = 11
UNSEEN = {"jakarta.servlet.DispatcherType[]": 1}  # the copy of the enum's array in Class.enumConstants, for EnumSet
TOMCAT = pathlib.Path("/usr/share/tomcat10")
EXAMPLES = pathlib.Path("/usr/share/tomcat10-examples/examples")
JSP_COMPILER = pathlib.Path("/usr/share/java/eclipse-jdt-core.jar")
CLIENTS = 4
SESSIONS = 400  # per client

# backgroundProcessorDelay=-1: no housekeeping, so the heap keeps still. Port 0: any free one; the log says which.
SERVER_XML = """<?xml version="1.0" encoding="UTF-8"?>
<Server port="-1">
  <Service name="Catalina">
    <Connector address="127.0.0.1" port="0" protocol="HTTP/1.1" minSpareThreads="8" maxThreads="8"/>
    <Engine name="Catalina" defaultHost="localhost" backgroundProcessorDelay="-1">
      <Host name="localhost" appBase="webapps" autoDeploy="false">
        <Context path="/examples" docBase="{docbase}"/>
      </Host>
    </Engine>
  </Service>
</Server>
"""
# What every container's own web.xml has: the servlet for files and the one for JSP pages.
WEB_XML = """<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <servlet><servlet-name>default</servlet-name><servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class></servlet>
  <servlet><servlet-name>jsp</servlet-name><servlet-class>org.apache.jasper.servlet.JspServlet</servlet-class></servlet>
  <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
  <servlet-mapping><servlet-name>jsp</servlet-name><url-pattern>*.jsp</url-pattern><url-pattern>*.jspx</url-pattern></servlet-mapping>
  <session-config><session-timeout>600</session-timeout></session-config>
</web-app>
"""
PAGES = (
    "/examples/servlets/servlet/RequestInfoExample",
    "/examples/servlets/servlet/RequestParamExample?firstname=Ada&lastname=L",
    "/examples/servlets/servlet/CookieExample?cookiename=colour&cookievalue=green",
    "/examples/jsp/jsp2/el/basic-arithmetic.jsp",
    "/examples/jsp/jsp2/el/functions.jsp?foo=JSP+2.0",
    "/examples/jsp/dates/date.jsp",
    "/examples/jsp/jsp2/simpletag/repeat.jsp",
    "/examples/jsp/xml/xml.jsp",
)


def start(jdk, vm_args, agent_options, directory):
    harness.need_package("tomcat10-common", TOMCAT / "bin" / "bootstrap.jar")
    harness.need_package("tomcat10-examples", EXAMPLES / "WEB-INF" / "web.xml")
    harness.need_package("libeclipse-jdt-core-java", JSP_COMPILER)
    base = _lay_out(pathlib.Path(directory) / "tomcat")
    class_path = f"{TOMCAT}/bin/bootstrap.jar:{TOMCAT}/bin/tomcat-juli.jar:{JSP_COMPILER}"
    jvm = harness.Jvm(jdk, [*vm_args, "-cp", class_path, f"-Dcatalina.home={TOMCAT}", f"-Dcatalina.base={base}",
                            f"-Djava.io.tmpdir={base}/temp", "org.apache.catalina.startup.Bootstrap", "start"], agent_options, cwd=base)
    try:
        port = int(jvm.wait_line(r'Starting ProtocolHandler \["http-nio-.*auto-\d+-(\d+)"\]').group(1))
        jvm.wait_line(r"Server startup in")
        _drive_all(port)
    except BaseException:
        jvm.stop()
        raise
    return jvm


def _lay_out(base):
    """A CATALINA_BASE of our own, so that nothing of the system's is touched."""
    for folder in ("conf", "logs", "temp", "webapps", "work"):
        (base / folder).mkdir(parents=True)
    (base / "conf" / "server.xml").write_text(SERVER_XML.format(docbase=EXAMPLES))
    (base / "conf" / "web.xml").write_text(WEB_XML)
    return base


def _drive_all(port):
    failures = []
    threads = [threading.Thread(target=_drive, args=(port, client, failures)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise harness.VmError(f"{NAME}: {failures[0]}")


def _drive(port, client, failures):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for i in range(SESSIONS):
            cookie = _new_session(connection, f"client {client}", i)
            _get(connection, PAGES[i % len(PAGES)], cookie)
        connection.close()
    except Exception as error:  # a thread's exception would otherwise vanish
        failures.append(error)


def _new_session(connection, name, i):
    headers, _ = _get(connection, f"/examples/servlets/servlet/SessionExample?dataname={name.replace(' ', '+')}&datavalue={i}{'x' * 500}")
    return re.match(r"[^;]+", headers["Set-Cookie"]).group()


def _get(connection, path, cookie=None):
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise harness.VmError(f"{path} answered {answer.status}: {body[:300]}")
    return answer.headers, body
